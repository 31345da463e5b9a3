// Fields of a form, as text.

/** Returns the trimmed text of a field of the form that an event comes from; empty when there is none. */
export function fieldOf(event: SubmitEvent, name: string): string {
  if (!(event.currentTarget instanceof HTMLFormElement)) return '';
  const value = new FormData(event.currentTarget).get(name);
  return typeof value === 'string' ? value.trim() : '';
}

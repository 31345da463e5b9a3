// Reads the fields of a form.

/** Returns the trimmed text of a form's field; empty when there is no such field. */
export function fieldOf(event: SubmitEvent, name: string): string {
  if (!(event.currentTarget instanceof HTMLFormElement)) return '';
  const value = new FormData(event.currentTarget).get(name);
  return typeof value === 'string' ? value.trim() : '';
}

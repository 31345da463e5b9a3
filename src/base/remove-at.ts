// Removes one item of a list in place. Must never be given a place outside the list.

/** Removes the item at a place. The last one, most often the only one, without the array that `splice` makes of it. */
export function removeAt(items: unknown[], place: number): void {
  if (place === items.length - 1) items.pop();
  else items.splice(place, 1);
}

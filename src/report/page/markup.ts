// Text that becomes part of a page: escaped wherever it comes from outside. Must never let a market's title be markup.

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A piece of a page. */
export class Markup {
  readonly text: string;

  /** Only `html` and what is written in this house may say that a text is markup already. */
  constructor(text: string) {
    this.text = text;
  }
}

/** Text as a page shows it. */
const escaped = (text: string): string => text.replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter);

/** What a template may hold. Text and numbers are escaped, markup is not. */
export type Piece = Markup | string | number | readonly Markup[];

/** Nothing at all. */
export const NO_MARKUP = new Markup('');

/** Markup from a template. */
export function html(texts: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  let whole = texts[0] ?? '';
  pieces.forEach((piece, at) => {
    whole += written(piece) + (texts[at + 1] ?? '');
  });
  return new Markup(whole);
}

function written(piece: Piece): string {
  if (piece instanceof Markup) return piece.text;
  if (typeof piece === 'object') return piece.map(({ text }) => text).join('');
  return escaped(String(piece));
}

/** Data as a script element may hold it: nothing in it ends the element, or begins a comment. */
export const embedded = (data: unknown): Markup =>
  new Markup(
    JSON.stringify(data).replace(
      /[<>&\u2028\u2029]/g,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  );

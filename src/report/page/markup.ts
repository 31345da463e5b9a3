// Builds the page's text, and escapes what comes from outside. Must never let a market's title be markup.

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

  /** The text is not escaped: pass only text that is safe as markup. */
  constructor(text: string) {
    this.text = text;
  }
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter);

/** A value in a template. Text and numbers are escaped, markup is not. */
export type Piece = Markup | string | number | readonly Markup[];

/** Empty markup. */
export const NO_MARKUP = new Markup('');

/** Builds markup from a template. */
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

/** Encodes data for a script element. Nothing in the data can end the element or begin a comment. */
export const embedded = (data: unknown): Markup =>
  new Markup(
    JSON.stringify(data).replace(
      /[<>&\u2028\u2029]/g,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  );

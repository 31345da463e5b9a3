// Splits the shell lines of the pages: drops comments, reads quotes, and separates commands that follow each other.
// Reads no more of the shell language than the pages use, and runs nothing.

/** Splits lines of shell into commands, each as its words. `&&`, `||`, `|` and `;` separate commands. */
export function commandsOf(text: string): string[][] {
  const whole = text.replaceAll(/\\\n\s*/g, ' ');
  return whole.split('\n').flatMap((line) => commandsOfLine(line));
}

const BETWEEN: ReadonlySet<string> = new Set(['&&', '||', '|', ';']);

function commandsOfLine(line: string): string[][] {
  const commands: string[][] = [[]];
  let isTarget = false;
  for (const { word, isQuoted } of wordsOf(line)) {
    if (!isQuoted && BETWEEN.has(word)) commands.push([]);
    else if (!isQuoted && /^\d?>>?$/.test(word)) isTarget = true;
    else if (isTarget) isTarget = false;
    else commands.at(-1)?.push(word);
  }
  return commands.filter((command) => command.length > 0);
}

function wordsOf(line: string): { word: string; isQuoted: boolean }[] {
  const words: { word: string; isQuoted: boolean }[] = [];
  for (const [token] of line.matchAll(/#.*$|(?:"[^"]*"|'[^']*'|[^\s"'])+/g)) {
    if (token.startsWith('#')) break;
    words.push({ word: token.replaceAll(/["']/g, ''), isQuoted: /["']/.test(token) });
  }
  return words;
}

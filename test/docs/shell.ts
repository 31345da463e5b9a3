// Shell lines as the pages write them, taken apart: comments away, quotes read, commands that follow one another apart.
// Reads no more of the shell than the pages use; runs nothing.

/** The commands of some lines of shell, each as its words; what is joined by `&&`, `|` or `;` are several. */
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

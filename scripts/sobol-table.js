#!/usr/bin/env node
// Writes the table of direction numbers for Sobol points from the published file `new-joe-kuo-6.21201`:
// `node scripts/sobol-table.js new-joe-kuo-6.21201 > src/research/search/sobol/sobol-table.ts`. Must never drop the notice.
import { readFileSync } from 'node:fs';

/** Dimensions of the table: more than a study has parameters. */
const DIMENSIONS = 64;

const HEADER = `// Direction numbers of Sobol points: the first ${DIMENSIONS} dimensions of new-joe-kuo-6.21201, by Joe and Kuo (SIAM Journal on
// Scientific Computing 30, 2008, page 2635). Written by \`scripts/sobol-table.js\`: must never be changed by hand.

`;

/** The authors' notice. Their terms ask for it in the source and beside the program. */
const NOTICE = `-----------------------------------------------------------------------------
Licence pertaining to sobol.cc and the accompanying sets of direction numbers
-----------------------------------------------------------------------------
Copyright (c) 2008, Frances Y. Kuo and Stephen Joe
All rights reserved.

Redistribution and use in source and binary forms, with or without
modification, are permitted provided that the following conditions are met:

    * Redistributions of source code must retain the above copyright
      notice, this list of conditions and the following disclaimer.

    * Redistributions in binary form must reproduce the above copyright
      notice, this list of conditions and the following disclaimer in the
      documentation and/or other materials provided with the distribution.

    * Neither the names of the copyright holders nor the names of the
      University of New South Wales and the University of Waikato
      and its contributors may be used to endorse or promote products derived
      from this software without specific prior written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS \`\`AS IS'' AND ANY
EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED
WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDERS BE LIABLE FOR ANY
DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES
(INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES;
LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND
ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT
(INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS
SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.`;

const DECLARATION = `
/**
 * A row for each dimension from the second on: the primitive polynomial in binary, with its leading and trailing 1, then the
 * initial numbers m₁, m₂, ….
 */
export const SOBOL_ROWS: readonly (readonly [polynomial: number, ...initial: readonly number[]])[] = [
`;

/**
 * Reads a row of the published file: dimension, degree, inner coefficients of the polynomial, initial numbers.
 * @param {string} line
 * @param {number} dimension
 */
function rowOf(line, dimension) {
  const numbers = line.trim().split(/\s+/).map(Number);
  const [d, degree = 0, inner = 0, ...initial] = numbers;
  if (d !== dimension || initial.length !== degree || !numbers.every(Number.isSafeInteger))
    throw new Error(
      `line ${dimension}: expected dimension ${dimension} and its numbers, found ${JSON.stringify(line)}`,
    );
  return `  [${[2 ** degree + 2 * inner + 1, ...initial].join(', ')}],\n`;
}

const [file] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('sobol-table: expected the path of new-joe-kuo-6.21201\n');
  process.exit(2);
}
const lines = readFileSync(file, 'utf8').split('\n').slice(1, DIMENSIONS);
const rows = lines.map((line, i) => rowOf(line, i + 2));
const notice = NOTICE.split('\n').map((line) => ` * ${line}`.trimEnd());
process.stdout.write(`${HEADER}/*\n${notice.join('\n')}\n */\n${DECLARATION}${rows.join('')}];\n`);

// Readers for Node read what `stepscope export` wrote: Parquet (hyparquet) and Arrow (apache-arrow) cell by cell against the
// JSON lines of the same table, and speedscope's schema of its file format.
//   node export_peers.mjs FOLDER   with FOLDER/{parquet,arrow,jsonl}/TABLE.* and FOLDER/stacks.speedscope.json
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import Ajv from 'ajv';
import { tableFromIPC } from 'apache-arrow';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';

/** A line as [key, value, key, value, …], each as it is written: numbers may need more than a double holds. */
const tokens = (line) => line.match(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/g) ?? [];

function same(cell, written) {
  if (cell === null || cell === undefined) return written === 'null';
  if (typeof cell === 'bigint') return written === cell.toString();
  if (typeof cell === 'number') return /^-?\d/.test(written) && Number(written) === cell;
  if (typeof cell === 'boolean') return written === String(cell);
  return written.startsWith('"') && JSON.parse(written) === String(cell);
}

function compare(what, lines, columns, cellAt, rows) {
  if (rows !== lines.length) throw new Error(`${what}: ${rows} rows instead of ${lines.length}`);
  for (let row = 0; row < rows; ++row) {
    const written = tokens(lines[row]);
    if (written.length !== 2 * columns.length) throw new Error(`${what}: row ${row} has other columns`);
    for (let column = 0; column < columns.length; ++column) {
      const right = JSON.parse(written[2 * column]) === columns[column] && same(cellAt(row, column), written[2 * column + 1]);
      if (!right) throw new Error(`${what}: row ${row}, ${columns[column]}: ${cellAt(row, column)} instead of ${written[2 * column + 1]}`);
    }
  }
}

async function checkTable(folder, name) {
  const lines = readFileSync(join(folder, 'jsonl', `${name}.jsonl`), 'utf8').split('\n').slice(0, -1);
  const file = await asyncBufferFromFile(join(folder, 'parquet', `${name}.parquet`));
  const objects = await parquetReadObjects({ file, compressors });
  const arrow = tableFromIPC(readFileSync(join(folder, 'arrow', `${name}.arrow`)));
  const columns = arrow.schema.fields.map((field) => field.name);
  const vectors = columns.map((column) => arrow.getChild(column));
  compare(`${name}.parquet`, lines, columns, (row, column) => objects[row][columns[column]], objects.length);
  compare(`${name}.arrow`, lines, columns, (row, column) => vectors[column].get(row), arrow.numRows);
  return lines.length;
}

function checkSpeedscope(folder) {
  const schema = createRequire(import.meta.url).resolve('speedscope/dist/release/file-format-schema.json');
  const validate = new Ajv({ strict: false }).compile(JSON.parse(readFileSync(schema, 'utf8')));
  if (!validate(JSON.parse(readFileSync(join(folder, 'stacks.speedscope.json'), 'utf8')))) {
    throw new Error(`stacks.speedscope.json: ${JSON.stringify(validate.errors)}`);
  }
}

const [folder] = process.argv.slice(2);
let rows = 0;
const tables = readdirSync(join(folder, 'jsonl')).map((file) => file.replace(/\.jsonl$/, ''));
for (const table of tables) rows += await checkTable(folder, table);
checkSpeedscope(folder);
console.log(`  Node: ${tables.length} tables, ${rows} rows equal in Parquet (hyparquet) and Arrow (apache-arrow); speedscope's schema holds`);

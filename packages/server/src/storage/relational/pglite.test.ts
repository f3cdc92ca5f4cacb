import { spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { unpackEmptyPglite } from '../../testing/pglite-template.ts'
import { isFull } from '../../testing/rounds.ts'
import { COUNT_ROW } from '../rows.ts'
import { toRows } from './migrate.ts'
import { openPglite } from './pglite.ts'

const ROUNDS = isFull ? 3 : 2

/** Prints each number after it was stored. */
const writer = (directory: string) => `
  import { sql } from 'drizzle-orm'
  import { openPglite } from './pglite.ts'
  const { db } = await openPglite(${JSON.stringify(directory)})
  await db.execute(sql\`create table if not exists numbers (n serial)\`)
  for (;;) {
    const { rows } = await db.execute(sql\`insert into numbers default values returning n\`)
    console.log(rows[0].n)
  }`

/** Kills the writer after it acknowledged a number of rows; returns the printed numbers. */
async function writeUntilKilled(directory: string, rows: number): Promise<number[]> {
  const flags = ['--import=tsx', '--conditions=touchstone:source', '--input-type=module']
  const child = spawn(process.execPath, [...flags, '-e', writer(directory)], {
    cwd: fileURLToPath(new URL('./', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const acknowledged: number[] = []
  for await (const line of createInterface(child.stdout)) {
    acknowledged.push(Number(line))
    if (acknowledged.length === rows) child.kill('SIGKILL')
  }
  return acknowledged
}

it('loses no acknowledged row when the process is killed', { timeout: 120_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'touchstone-pg-'))
  await unpackEmptyPglite(directory)
  const acknowledged: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    // Random: the kill comes at any moment.
    const numbers = await writeUntilKilled(directory, 20 + Math.floor(Math.random() * 200))
    expect(numbers.length).toBeGreaterThanOrEqual(20)
    acknowledged.push(...numbers)
  }
  const { db, close } = await openPglite(directory)
  const stored = toRows(await db.execute(sql`select n from numbers`), COUNT_ROW).map(({ n }) => n)
  expect(stored).toEqual(expect.arrayContaining(acknowledged))
  await close()
})

it('starts after a power cut that left its lock file empty', { timeout: 120_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'touchstone-pg-'))
  await unpackEmptyPglite(directory)
  writeFileSync(join(directory, 'postmaster.pid'), '')
  const relational = await openPglite(directory)
  expect(await relational.runScript('select 1 as one')).toEqual([{ one: 1 }])
  await relational.close()
})

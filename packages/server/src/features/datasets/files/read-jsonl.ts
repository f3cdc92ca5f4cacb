import { isObjectText, splitMembers } from '../../../json/cut-json.ts'
import { JsonProblem, JsonTooComplex, scanJson } from '../../../json/scan-json.ts'
import { type BadRows, MAX_ROW_BYTES, TOO_LONG } from './bad-rows.ts'
import type { Cells } from './read-rows.ts'

/** Objects of a file with one JSON object a line; values are the text they are. Blank lines are skipped. */
export async function* readJsonl(bytes: Buffer, bad: BadRows): AsyncGenerator<Cells> {
  let line = 0
  for (let at = 0; at < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, at)
    const end = newline === -1 ? bytes.length : newline
    const range = bytes.subarray(at, end)
    at = end + 1
    line++
    const cells = range.length > LONG_LINE ? await membersOfLong(range, line, bad) : membersOfLine(range, line, bad)
    if (cells !== undefined) yield { line, cells }
  }
}

/** Bytes of a line that is checked in slices, so that other requests are answered in between. */
const LONG_LINE = 256 * 1024

function membersOfLine(bytes: Buffer, line: number, bad: BadRows): Map<string, string> | undefined {
  const text = bytes.toString('utf8').replace(line === 1 ? /^\uFEFF/ : '', '')
  if (text.trim() === '') return undefined
  try {
    JSON.parse(text)
  } catch (error) {
    bad.add(line, `is not JSON: ${(error as Error).message}`)
    return undefined
  }
  if (isObjectText(text)) return splitMembers(text)
  bad.add(line, 'is not a JSON object')
  return undefined
}

async function membersOfLong(bytes: Buffer, line: number, bad: BadRows): Promise<Map<string, string> | undefined> {
  if (bytes.length > MAX_ROW_BYTES) {
    bad.add(line, TOO_LONG)
    return undefined
  }
  const text = bytes[0] === 0xef && line === 1 ? bytes.subarray(3) : bytes // after a byte order mark
  try {
    const { kind, members } = await scanJson(text)
    if (kind === 'object') {
      return new Map(members.map(({ key, start, end }) => [key, text.toString('utf8', start, end)]))
    }
    bad.add(line, 'is not a JSON object')
  } catch (error) {
    if (error instanceof JsonProblem) bad.add(line, `is not JSON at byte ${error.position}`)
    else if (error instanceof JsonTooComplex) bad.add(line, `cannot be read: ${error.message}`)
    else throw error
  }
  return undefined
}

import { isObject, membersOf } from '../../json/cut-json.ts'
import type { BadRows } from './bad-rows.ts'
import type { Cells } from './read-rows.ts'

/** Objects of a file with one JSON object a line; values are the text they are. Blank lines are skipped. */
export async function* readJsonl(bytes: Buffer, bad: BadRows): AsyncGenerator<Cells> {
  let line = 0
  for (let at = 0; at < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, at)
    const end = newline === -1 ? bytes.length : newline
    const text = bytes.toString('utf8', at, end).replace(line === 0 ? /^\uFEFF/ : '', '')
    at = end + 1
    line++
    if (text.trim() === '') continue
    const cells = membersOfLine(text, line, bad)
    if (cells !== undefined) yield { line, cells }
  }
}

function membersOfLine(text: string, line: number, bad: BadRows): Map<string, string> | undefined {
  try {
    JSON.parse(text)
  } catch (error) {
    bad.add(line, `is not JSON: ${(error as Error).message}`)
    return undefined
  }
  if (isObject(text)) return membersOf(text)
  bad.add(line, 'is not a JSON object')
  return undefined
}

import { readFileSync } from 'node:fs'
import { parseSync } from 'rolldown/utils'

/** Figures of the source files of one package, without tests, test support and generated files. */
export interface PackageFigures {
  readonly files: number
  readonly lines: number
  readonly filesPer1000Lines: number
  /** Lines of functions with a body in braces. */
  readonly functionP95: number
  readonly functionMax: number
  /** Where the longest function is, as `path:line`. */
  readonly longestFunction: string
  /** Uses of the non-null assertion `!`. */
  readonly nonNullAssertions: number
}

/** @param paths  source files, absolute or relative to the working directory */
export function measurePackage(paths: readonly string[]): PackageFigures {
  const measured = paths.map((path) => measureFile(path, readFileSync(path, 'utf8')))
  const lines = measured.reduce((sum, file) => sum + file.lines, 0)
  const functions = measured.flatMap((file) => file.functions).sort((a, b) => a.lines - b.lines)
  const longest = functions.at(-1)
  return {
    files: paths.length,
    lines,
    filesPer1000Lines: Math.round((paths.length / lines) * 10_000) / 10,
    functionP95: functions[Math.floor(functions.length * 0.95)]?.lines ?? 0,
    functionMax: longest?.lines ?? 0,
    longestFunction: longest?.at ?? '',
    nonNullAssertions: measured.reduce((sum, file) => sum + file.nonNullAssertions, 0),
  }
}

interface FileFigures {
  readonly lines: number
  readonly functions: readonly { lines: number; at: string }[]
  readonly nonNullAssertions: number
}

function measureFile(path: string, text: string): FileFigures {
  const functions: { lines: number; at: string }[] = []
  let nonNullAssertions = 0
  visit(parseSync(path, text).program, (node) => {
    if (node.type === 'TSNonNullExpression') nonNullAssertions++
    if (!FUNCTIONS.has(node.type) || node.body?.type !== 'BlockStatement') return
    const first = countLines(text, node.start)
    functions.push({ lines: countLines(text, node.end) - first + 1, at: `${path}:${first}` })
  })
  return { lines: countLines(text, text.length) - 1, functions, nonNullAssertions }
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly body?: Node
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

function visit(value: unknown, onNode: (node: Node) => void): void {
  if (value === null || typeof value !== 'object') return
  if (isNode(value)) onNode(value)
  for (const child of Object.values(value)) visit(child, onNode)
}

const isNode = (value: object): value is Node => 'type' in value && typeof value.type === 'string'

function countLines(text: string, end: number): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

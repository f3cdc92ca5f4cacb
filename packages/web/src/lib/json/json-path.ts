import type { Filter, FilterScalar } from '@touchstone/contract/filter'
import type { JsonKind } from '@touchstone/formats/json-extents'
/** Steps from the top of a document to a value: keys and indices. */
export type JsonPath = readonly (string | number)[]

const PLAIN = /^[A-Za-z_$][\w$]*$/

/** `outputs.choices[0]["odd key"]`, the form in URLs. */
export function printPath(path: JsonPath): string {
  return path
    .map((step, i) =>
      typeof step === 'number'
        ? `[${step}]`
        : PLAIN.test(step)
          ? `${i > 0 ? '.' : ''}${step}`
          : `[${JSON.stringify(step)}]`,
    )
    .join('')
}

/** `$.outputs.choices[0]`, for JSONPath tools. */
export function printJsonPath(path: JsonPath): string {
  const text = printPath(path)
  return text === '' || text.startsWith('[') ? `$${text}` : `$.${text}`
}

/** `["outputs"]["choices"][0]`, to append to a variable in Python. */
export function printPythonPath(path: JsonPath): string {
  return path.map((step) => `[${JSON.stringify(step)}]`).join('')
}

/** Parses the output of `printPath`; undefined when the text is not a path. */
export function parsePath(text: string): JsonPath | undefined {
  const steps: (string | number)[] = []
  const token = /\.?([A-Za-z_$][\w$]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y
  while (token.lastIndex < text.length) {
    const match = token.exec(text)
    if (!match) return undefined
    const [, name, index, quoted] = match
    if (name !== undefined) steps.push(name)
    else if (index !== undefined) steps.push(Number(index))
    else {
      try {
        steps.push(JSON.parse(quoted!) as string)
      } catch {
        return undefined
      }
    }
  }
  return steps
}

/** Longer texts are unlikely to occur in a second run. */
const LONGEST_VALUE = 1_000
/** Fields of a run that can be filtered by their own name. */
const FIELDS = new Set(['id', 'trace_id', 'parent_run_id', 'thread_id', 'name', 'run_type', 'status', 'error'])

/**
 * The condition that finds the runs with this value at this path.
 *
 * @param path  from the top of the run: `['inputs', 'messages', 0, 'content']`
 * @param text  the value as it is copied: the text of a string, otherwise JSON
 * @returns undefined when the filter language cannot express it
 */
export function toValueFilter(path: JsonPath, kind: JsonKind, text: string): Filter | undefined {
  const value = toScalar(kind, text)
  if (value === undefined || value === null) return undefined
  const [top, ...rest] = path
  if (top === 'inputs') return entry('input', rest, value)
  if (top === 'outputs') return entry('output', rest, value)
  if (top === 'extra' && rest[0] === 'metadata') return entry('metadata', rest.slice(1), value)
  if (top === 'tags' && rest.length === 1) return { op: 'has', field: 'tags', value }
  if (rest.length === 0 && FIELDS.has(String(top))) return { op: 'eq', field: String(top), value }
  return undefined
}

/** Keys of nested entries are joined with dots; list indices are left out. */
function entry(family: 'input' | 'output' | 'metadata', path: JsonPath, value: FilterScalar): Filter | undefined {
  const key = path.filter((step) => typeof step === 'string').join('.')
  if (key === '') return undefined
  return {
    op: 'and',
    args: [
      { op: 'eq', field: `${family}_key`, value: key },
      { op: 'eq', field: `${family}_value`, value },
    ],
  }
}

function toScalar(kind: JsonKind, text: string): FilterScalar | undefined {
  if (text.length > LONGEST_VALUE) return undefined
  if (kind === 'string') return text
  if (kind === 'boolean') return text === 'true'
  // A number that a float cannot hold would be changed in the filter.
  if (kind === 'number') return String(Number(text)) === text ? Number(text) : undefined
  return undefined
}

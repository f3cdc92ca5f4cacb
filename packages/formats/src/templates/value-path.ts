/** Longest path of a value. */
export const MAX_VALUE_PATH = 1000

/** One member of a path: a name, or the position in a list. */
const MEMBER = /\.?([^.[\]"\s][^.[\]"]*)|\[(\d{1,9})\]|\["((?:[^"\\]|\\.)*)"\]/y

/**
 * The members of a path such as `inputs.messages[0].content` or `inputs["a key"]`; undefined when it is no path.
 */
export function parseValuePath(path: string): readonly (string | number)[] | undefined {
  if (path === '' || path.startsWith('.') || path.length > MAX_VALUE_PATH) return undefined
  const members: (string | number)[] = []
  let at = 0
  while (at < path.length) {
    MEMBER.lastIndex = at
    const found = MEMBER.exec(path)
    const isName = found?.[1] !== undefined
    if (found === null || (isName && at > 0 && path[at] !== '.')) return undefined
    const { 1: name, 2: index, 3: quoted } = found
    if (quoted !== undefined) members.push(quoted.replaceAll(/\\(.)/g, '$1'))
    else members.push(name ?? Number(index))
    at = MEMBER.lastIndex
  }
  return members
}

export type FoundValue = { readonly value: unknown } | { readonly problem: string }

/** Reads the value at a path, or the reason why there is none. Numbers of a path are also read as names of an object. */
export function readValuePath(values: unknown, path: string): FoundValue {
  const members = parseValuePath(path)
  if (members === undefined) return { problem: `"${path}" is no path; write for example inputs.question` }
  let value = values
  for (const [at, member] of members.entries()) {
    const before = members.slice(0, at).join('.')
    const place = before === '' ? '' : ` in ${before}`
    if (typeof value !== 'object' || value === null) {
      return { problem: `${before} is ${value === null ? 'null' : `a ${typeof value}`}, not an object` }
    }
    if (!Object.hasOwn(value, member)) {
      return { problem: Array.isArray(value) ? `no item ${member}${place}` : `no key "${member}"${place}` }
    }
    value = (value as Record<string | number, unknown>)[member]
  }
  return { value }
}

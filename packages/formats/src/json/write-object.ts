/**
 * Writes objects from members that are already JSON text, so that users' payloads are never parsed and printed again.
 */

/** Prints an object whose values are JSON text. */
export function printObject(members: Iterable<readonly [key: string, json: string]>): string {
  return `{${Array.from(members, ([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`
}

/**
 * Prints an object with more members after its own.
 *
 * @param object  a value to print, or the text of an object without white space around it
 * @param raw  JSON text by key; an absent or empty text is written as `null`
 */
export function addRawMembers(
  object: object | string,
  raw: Readonly<Record<string, string | null | undefined>>,
): string {
  const members = Object.entries(raw).map(([key, json]): [string, string] => [key, json || 'null'])
  return joinObjects(typeof object === 'string' ? object : JSON.stringify(object), printObject(members))
}

/** Joins the members of two objects; all texts are JSON without white space around them. */
export function joinObjects(first: string, second: string): string {
  if (first === '{}') return second
  if (second === '{}') return first
  return `${first.slice(0, -1)},${second.slice(1)}`
}

import { listMembers } from './cut-json.ts'
import { indentJson } from './locate-json.ts'

// Edits of JSON texts. What is not edited stays as it is written, because parsing and printing would round large numbers.

/** The text of a member's value; undefined where the object does not have the key. */
export function getMember(json: string, key: string): string | undefined {
  let value: string | undefined
  for (const member of listMembers(json)) if (member.key === key) value = json.slice(member.from, member.to)
  return value
}

/** The object with one member set, at its place or at the end. */
export function setMember(json: string, key: string, value: string): string {
  const written = `${JSON.stringify(key)}: ${value}`
  let isFound = false
  const members = [...listMembers(json)].map((member) => {
    if (member.key !== key) return json.slice(member.start, member.to)
    isFound = true
    return written
  })
  return printMembers(isFound ? members : [...members, written])
}

/** The object without a member. */
export function removeMember(json: string, key: string): string {
  const others = [...listMembers(json)].filter((member) => member.key !== key)
  return printMembers(others.map(({ start, to }) => json.slice(start, to)))
}

function printMembers(members: readonly string[]): string {
  return indentJson(`{${members.join(',')}}`)
}

/** A list of JSON texts as one. */
export function printList(elements: readonly string[]): string {
  return indentJson(`[${elements.join(',')}]`)
}

/** `JSON.rawJSON` and the source of a number exist in current browsers, but not yet in the types. */
interface ExactJson {
  rawJSON?: (text: string) => unknown
  parse(text: string, revive: (key: string, value: unknown, context?: { source?: string }) => unknown): unknown
}

/**
 * The value of a JSON text. Printed again, its numbers have the same digits, also those beyond double precision, in
 * browsers that can keep them.
 */
export function parseExact(text: string): unknown {
  const exact: ExactJson = JSON
  return exact.parse(text, (_, value, context) => {
    const source = context?.source
    const isExact = typeof value !== 'number' || source === undefined || String(value) === source
    return isExact || exact.rawJSON === undefined ? value : exact.rawJSON(source)
  })
}

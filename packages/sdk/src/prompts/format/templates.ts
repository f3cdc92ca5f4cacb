import { getOwn, type Scope, toText } from './messages.ts'

type Node = string | { kind: Kind; name: string; children: readonly Node[] }
type Kind = 'variable' | 'section' | 'inverted'

/** Templates beyond these limits are treated as malicious. */
const MAX_DEPTH = 100
const MAX_STEPS = 1_000_000

/**
 * A safe subset of Mustache: variables, paths, sections, inverted sections, comments. Nothing is escaped, because
 * prompts are not HTML; functions are not called; a name without a value is empty.
 *
 * @throws Error for unbalanced tags, for partials and custom delimiters, and for a template that takes too many steps
 */
export function formatMustache(template: string, scope: Scope): string {
  let steps = 0
  const render = (nodes: readonly Node[], contexts: Scope): string => nodes.map((node) => one(node, contexts)).join('')
  const one = (node: Node, contexts: Scope): string => {
    if (++steps > MAX_STEPS) throw new Error('A template takes too many steps.')
    if (typeof node === 'string') return node
    const value = findValue(node.name, contexts)
    if (node.kind === 'variable') return value == null ? '' : toText(value)
    const isEmpty = !value || (Array.isArray(value) && value.length === 0)
    if (node.kind === 'inverted') return isEmpty ? render(node.children, contexts) : ''
    if (isEmpty) return ''
    if (Array.isArray(value)) return value.map((item) => render(node.children, [...contexts, item])).join('')
    return render(node.children, value === true ? contexts : [...contexts, value])
  }
  return render(parse(template), scope)
}

function findValue(name: string, contexts: Scope): unknown {
  if (name === '.') return contexts.at(-1)
  const path = name.split('.')
  for (const context of contexts.toReversed()) {
    const value = path.reduce(getOwn, context)
    if (value !== undefined) return value
  }
  return undefined
}

interface Tag {
  sign: string
  name: string
}

function parse(template: string): readonly Node[] {
  const open: { name: string; nodes: Node[] }[] = []
  let nodes: Node[] = []
  for (const token of tokenize(template)) {
    if (typeof token === 'string') {
      nodes.push(token)
    } else if (token.sign === '#' || token.sign === '^') {
      if (open.length === MAX_DEPTH) throw new Error(`Sections of a template nest more than ${MAX_DEPTH} deep.`)
      const children: Node[] = []
      nodes.push({ kind: token.sign === '#' ? 'section' : 'inverted', name: token.name, children })
      open.push({ name: token.name, nodes })
      nodes = children
    } else if (token.sign === '/') {
      const section = open.pop()
      if (section?.name !== token.name)
        throw new Error(`A section "${token.name}" of a template is closed, not opened.`)
      nodes = section.nodes
    } else if (token.sign !== '!') {
      nodes.push({ kind: 'variable', name: token.name, children: [] })
    }
  }
  const unclosed = open.at(-1)
  if (unclosed) throw new Error(`A section "${unclosed.name}" of a template is never closed.`)
  return nodes
}

/**
 * Splits a template into texts (of one line at most) and tags. Lines that contain only white space and section tags are
 * removed.
 */
function tokenize(template: string): (string | Tag)[] {
  const all: (string | Tag)[] = []
  let lineFrom = 0
  const endLine = () => {
    const line = all.slice(lineFrom)
    const isBare = line.every((token) => (typeof token === 'string' ? token.trim() === '' : token.sign !== ''))
    if (isBare && line.some((token) => typeof token !== 'string')) {
      all.splice(lineFrom, line.length, ...line.filter((token) => typeof token !== 'string'))
    }
    lineFrom = all.length
  }
  for (let at = 0; at < template.length; ) {
    const start = template.indexOf('{{', at)
    for (const text of template.slice(at, start < 0 ? undefined : start).split(/(?<=\n)/)) {
      if (text !== '') all.push(text)
      if (text.endsWith('\n')) endLine()
    }
    if (start < 0) break
    const { tag, end } = readTag(template, start)
    all.push(tag)
    at = end
  }
  endLine()
  return all
}

function readTag(template: string, start: number): { tag: Tag; end: number } {
  const isTriple = template[start + 2] === '{'
  const mark = isTriple ? '}}}' : '}}'
  const from = start + mark.length
  const close = template.indexOf(mark, from)
  if (close < 0) throw new Error('A tag of a template is never closed.')
  const inner = template.slice(from, close).trim()
  const end = close + mark.length
  if (isTriple) return { tag: { sign: '', name: inner }, end }
  const sign = '#^/!&>='.includes(inner.charAt(0)) ? inner.charAt(0) : ''
  if (sign === '>' || sign === '=') throw new Error('Partials and other delimiters of mustache are not supported.')
  const name = sign === '' ? inner : inner.slice(1).trim()
  return { tag: { sign: sign === '&' ? '' : sign, name }, end }
}

/**
 * Replaces `{name}` by the value of that name, and `{{` and `}}` by braces. Only names are allowed between the braces:
 * no expressions, attributes or formats. Inserted values are not parsed again.
 *
 * @throws Error for unbalanced braces, and for a name without a value
 */
export function formatFString(template: string, scope: Scope): string {
  let text = ''
  let at = 0
  for (const { index, 0: brace } of template.matchAll(/\{\{|\}\}|\{[^}]*\}?|\}/g)) {
    text += template.slice(at, index)
    at = index + brace.length
    if (brace === '{{' || brace === '}}') text += brace[0]
    else if (brace === '}') throw new Error('Single "}" in a template.')
    else if (!brace.endsWith('}')) throw new Error('A "{" in a template is never closed.')
    else text += getValue(brace.slice(1, -1), scope)
  }
  return text + template.slice(at)
}

function getValue(name: string, scope: Scope): string {
  for (const values of scope.toReversed()) {
    const value = getOwn(values, name)
    if (value !== undefined) return toText(value)
  }
  throw new Error(`Missing value for input variable "${name}".`)
}

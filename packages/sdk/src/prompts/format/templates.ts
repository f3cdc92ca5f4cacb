import { eachFStringPiece, type MustacheTag, parseMustache, type TemplateNode } from '@touchstone/formats/templates'
import { getOwn, type Scope, toText } from './messages.ts'

// Templates are filled in as LangChain does it, which differs from the playground: a name without a value is empty in mustache, and
// null is a word in f-strings.

/** Templates that write more pieces, or look at more values for their names, are treated as malicious. */
const MAX_STEPS = 1_000_000

/**
 * A safe subset of Mustache: variables, paths, sections, inverted sections, comments. Nothing is escaped, because
 * prompts are not HTML; functions are not called; a name without a value is empty.
 *
 * @throws Error for unbalanced tags, for partials and custom delimiters, and for a template that takes too many steps
 */
export function formatMustache(template: string, scope: Scope): string {
  let steps = 0
  const step = () => {
    if (++steps > MAX_STEPS) throw new Error('A template takes too many steps.')
  }
  const render = (nodes: readonly TemplateNode[], contexts: Scope): string =>
    nodes.map((node) => one(node, contexts)).join('')
  const one = (node: TemplateNode, contexts: Scope): string => {
    step()
    if (node.kind === 'text') return node.text
    const value = findValue(node, contexts, step)
    if (node.kind === 'variable') return value == null ? '' : toText(value)
    const isEmpty = !value || (Array.isArray(value) && value.length === 0)
    if (node.isInverted) return isEmpty ? render(node.nodes, contexts) : ''
    if (isEmpty) return ''
    if (Array.isArray(value)) return value.map((item) => render(node.nodes, [...contexts, item])).join('')
    return render(node.nodes, value === true ? contexts : [...contexts, value])
  }
  return render(parseMustache(template, eachTag(template)), scope)
}

/** A tag ends at the first closing braces. Without a name, or with braces in it, it is a tag without a value. */
function* eachTag(template: string): Generator<MustacheTag> {
  for (let at = template.indexOf('{{'), end = 0; at >= 0; at = template.indexOf('{{', end)) {
    const isTriple = template[at + 2] === '{'
    const mark = isTriple ? '}}}' : '}}'
    const close = template.indexOf(mark, at + mark.length)
    if (close < 0) throw new Error('A tag of a template is never closed.')
    end = close + mark.length
    const inner = template.slice(at + mark.length, close).trim()
    const sign = !isTriple && '#^/!&>='.includes(inner.charAt(0)) ? inner.charAt(0) : ''
    yield { text: template.slice(at, end), sign, name: inner.slice(sign.length).trim(), at }
  }
}

/** @param step  called for each value after the first that is looked at */
function findValue(
  { name, path }: { readonly name: string; readonly path: readonly string[] },
  contexts: Scope,
  step: () => void,
): unknown {
  if (name === '.') return contexts.at(-1)
  for (let at = contexts.length - 1; at >= 0; at--) {
    if (at < contexts.length - 1) step()
    let value: unknown = contexts[at]
    for (const [position, segment] of path.entries()) {
      if (position > 0) step()
      value = getOwn(value, segment)
      if (value === undefined) break
    }
    if (value !== undefined) return value
  }
  return undefined
}

/**
 * Replaces `{name}` by the value of that name, and `{{` and `}}` by braces. Only names are allowed between the braces:
 * no expressions, attributes or formats. Inserted values are not parsed again.
 *
 * @throws Error for unbalanced braces, and for a name without a value
 */
export function formatFString(template: string, scope: Scope): string {
  return Array.from(eachFStringPiece(template), ({ text, inner }) =>
    inner === undefined ? text : getValue(inner, scope),
  ).join('')
}

function getValue(name: string, scope: Scope): string {
  for (const values of scope.toReversed()) {
    const value = getOwn(values, name)
    if (value !== undefined) return toText(value)
  }
  throw new Error(`Missing value for input variable "${name}".`)
}

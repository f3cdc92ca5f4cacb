import { findLine, invalidTemplate } from './template-error.ts'

const MAX_DEPTH = 50

/** A part of a mustache template. */
export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'section'; readonly name: string; readonly isInverted: boolean; readonly nodes: TemplateNode[] }

/**
 * Parses `{{name}}`, `{{{name}}}`, `{{&name}}`, sections and comments; a section tag alone on its line takes the line with it.
 *
 * @throws TemplateError for tags that are not balanced, without a name or not supported
 */
export function parseMustache(template: string): TemplateNode[] {
  const root: TemplateNode[] = []
  const open: { readonly name: string; readonly nodes: TemplateNode[]; readonly at: number }[] = []
  const addText = (text: string) => text !== '' && (open.at(-1)?.nodes ?? root).push({ kind: 'text', text })
  let from = 0
  for (const { text, sign, name, at: index } of eachTag(template)) {
    const line = () => findLine(template, index)
    if (sign === '>' || sign === '=') {
      throw invalidTemplate(`"${text}" ${line()}: partials and other delimiters are not supported.`)
    }
    const end = index + text.length
    const whole = '#^/!'.includes(sign) && sign !== '' ? findOwnLine(template, index, end, from) : undefined
    addText(template.slice(from, whole?.from ?? index))
    from = whole?.to ?? end
    if (sign === '!') continue
    if (name === '') throw invalidTemplate(`"${text}" ${line()} has no name.`)
    if (sign === '' || sign === '&') (open.at(-1)?.nodes ?? root).push({ kind: 'variable', name })
    else if (sign === '/') {
      const section = open.pop()
      if (section?.name !== name) throw invalidTemplate(`"${text}" ${line()} closes no open section.`, name)
    } else {
      if (open.length === MAX_DEPTH)
        throw invalidTemplate(`Sections are nested deeper than ${MAX_DEPTH} ${line()}.`, name)
      const nodes: TemplateNode[] = []
      ;(open.at(-1)?.nodes ?? root).push({ kind: 'section', name, isInverted: sign === '^', nodes })
      open.push({ name, nodes, at: index })
    }
  }
  const section = open.at(-1)
  if (section !== undefined) {
    throw invalidTemplate(
      `The section "${section.name}" ${findLine(template, section.at)} is not closed.`,
      section.name,
    )
  }
  addText(template.slice(from))
  return root
}

interface Tag {
  readonly text: string
  /** '' for a variable. */
  readonly sign: string
  readonly name: string
  /** Position in the template. */
  readonly at: number
}

/** The tags of a template, in order. Braces within a tag are text, but for a comment, which may contain any. */
export function* eachTag(template: string): Generator<Tag> {
  const pattern = /\{\{!|\{\{\{([^{}]*)\}\}\}|\{\{([^{}]*)\}\}/g
  for (let found = pattern.exec(template); found !== null; found = pattern.exec(template)) {
    const { 0: text, 1: inTriple, 2: inDouble = '', index: at } = found
    if (text === '{{!') {
      const end = template.indexOf('}}', pattern.lastIndex)
      if (end === -1) return
      pattern.lastIndex = end + 2
      yield { text: template.slice(at, end + 2), sign: '!', name: template.slice(at + 3, end).trim(), at }
      continue
    }
    const tag = (inTriple ?? inDouble).trim()
    const sign = inTriple === undefined && '#^/&!>='.includes(tag.charAt(0)) ? tag.charAt(0) : ''
    yield { text, sign, name: tag.slice(sign.length).trim(), at }
  }
}

/** The line of a tag when nothing else stands in it. */
function findOwnLine(template: string, start: number, end: number, after: number) {
  let from = start
  while (from > after && (template[from - 1] === ' ' || template[from - 1] === '\t')) from--
  if (from > 0 && template[from - 1] !== '\n') return undefined
  let to = end
  while (template[to] === ' ' || template[to] === '\t' || template[to] === '\r') to++
  if (to < template.length && template[to] !== '\n') return undefined
  return { from, to: to + 1 }
}

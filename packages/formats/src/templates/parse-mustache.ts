import { findLine, invalidTemplate } from './template-error.ts'

/** Levels of sections in one another. */
export const MAX_DEPTH = 100
/** A path is looked up for every item of a section, so the work of one lookup is limited. */
const MAX_SEGMENTS = 100
const MAX_NAME = 1000

/** What a variable or a section is about: its name, and the same cut at its dots. */
interface NamedNode {
  readonly name: string
  readonly path: readonly string[]
}

/** A part of a mustache template. */
export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | ({ readonly kind: 'variable' } & NamedNode)
  | ({ readonly kind: 'section'; readonly isInverted: boolean; readonly nodes: TemplateNode[] } & NamedNode)

/**
 * Parses `{{name}}`, `{{{name}}}`, `{{&name}}`, sections and comments; a line that has only tags of sections, comments and
 * white space is removed.
 *
 * @param tags  of the template, in order. @default tags with a name
 * @throws TemplateError for tags that are not balanced, without a name or not supported, and for a long path
 */
export function parseMustache(template: string, tags: Iterable<MustacheTag> = eachNamedTag(template)): TemplateNode[] {
  const root: TemplateNode[] = []
  const open: { readonly name: string; readonly nodes: TemplateNode[]; readonly at: number }[] = []
  const addText = (text: string) => text !== '' && (open.at(-1)?.nodes ?? root).push({ kind: 'text', text })
  const add = ({ text, sign, name, at: index }: MustacheTag) => {
    const line = () => findLine(template, index)
    if (sign === '>' || sign === '=') {
      throw invalidTemplate(`"${text}" ${line()}: partials and other delimiters are not supported.`)
    }
    if (sign === '!') return
    if (sign === '' || sign === '&') {
      ;(open.at(-1)?.nodes ?? root).push({ kind: 'variable', name, path: parsePath(name, line) })
    } else if (sign === '/') {
      const section = open.pop()
      if (section?.name !== name) throw invalidTemplate(`"${text}" ${line()} closes no open section.`, name)
    } else {
      if (open.length === MAX_DEPTH)
        throw invalidTemplate(`Sections are nested deeper than ${MAX_DEPTH} ${line()}.`, name)
      const path = parsePath(name, line)
      const nodes: TemplateNode[] = []
      ;(open.at(-1)?.nodes ?? root).push({ kind: 'section', name, path, isInverted: sign === '^', nodes })
      open.push({ name, nodes, at: index })
    }
  }
  let from = 0
  for (const lineTags of eachLine(template, tags)) {
    const removed = findRemovedLine(template, lineTags)
    if (removed) addText(template.slice(from, removed.from))
    for (const tag of lineTags) {
      if (!removed) addText(template.slice(from, tag.at))
      add(tag)
      from = tag.at + tag.text.length
    }
    if (removed) from = removed.to
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

function parsePath(name: string, line: () => string): string[] {
  if (name.length > MAX_NAME) throw invalidTemplate(`A name ${line()} has more than ${MAX_NAME} characters.`)
  const path = name.split('.')
  if (path.length > MAX_SEGMENTS)
    throw invalidTemplate(`A path ${line()} has more than ${MAX_SEGMENTS} segments.`, name)
  return path
}

export interface MustacheTag {
  readonly text: string
  /** '' for a variable. */
  readonly sign: string
  readonly name: string
  /** Position in the template. */
  readonly at: number
}

/** The tags of a template, in order. Braces within a tag are text, but for a comment, which may contain any. */
export function* eachTag(template: string): Generator<MustacheTag> {
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

function* eachNamedTag(template: string): Generator<MustacheTag> {
  for (const tag of eachTag(template)) {
    if (tag.name === '' && tag.sign !== '!')
      throw invalidTemplate(`"${tag.text}" ${findLine(template, tag.at)} has no name.`)
    yield tag
  }
}

/** The tags of each line that has some. */
function* eachLine(template: string, tags: Iterable<MustacheTag>): Generator<readonly MustacheTag[]> {
  let line: MustacheTag[] = []
  let from = 0
  for (const tag of tags) {
    if (line.length > 0 && template.slice(from, tag.at).includes('\n')) {
      yield line
      line = []
    }
    line.push(tag)
    from = tag.at + tag.text.length
  }
  if (line.length > 0) yield line
}

const SIGNS_OF_REMOVED = new Set(['#', '^', '/', '!'])

/** The line of tags when there is nothing else in it that is written. */
function findRemovedLine(template: string, tags: readonly MustacheTag[]) {
  const from = template.lastIndexOf('\n', (tags[0]?.at ?? 0) - 1) + 1
  let end = from
  for (const { at, text, sign } of tags) {
    if (!SIGNS_OF_REMOVED.has(sign) || template.slice(end, at).trim() !== '') return undefined
    end = at + text.length
  }
  const newline = template.indexOf('\n', end)
  const to = newline === -1 ? template.length : newline + 1
  return template.slice(end, to).trim() === '' ? { from, to } : undefined
}

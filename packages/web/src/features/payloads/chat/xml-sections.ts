/** A part of a text: without tags of its own, or between an opening and a closing tag. */
export type TextBlock = { kind: 'text'; text: string } | XmlSection

export interface XmlSection {
  kind: 'section'
  /** The tags as they are written, with the spaces and line breaks around them. */
  open: string
  /** Empty when the text was cut before it. */
  close: string
  blocks: TextBlock[]
}

/** Deeper and further sections stay text, so that no text makes a page of boxes. */
const MAX_DEPTH = 12
const MAX_SECTIONS = 300

/** A tag at the start of a line, or at its end. Longer tags are text. */
const OPEN = /^[ \t]*<([A-Za-z_][\w.:-]{0,99})((?:[ \t][^<>]{0,999})?)>[ \t\r]*/
const CLOSE = /[ \t]*<\/([A-Za-z_][\w.:-]{0,99})[ \t]{0,99}>[ \t\r]*$/
const LONGEST_TAG = 1_200
const FENCE = /^[ \t]*(`{3,}|~{3,})([^\r\n]*)/

interface Tag {
  name: string
  start: number
  end: number
}

/**
 * Finds the sections of a prompt that are written as `<documents>`, some lines and `</documents>`. Tags inside a line, unclosed
 * tags, tags that cross others and all tags in fenced code stay text. Takes time that grows with the length of the text.
 *
 * @returns blocks that are the whole text when they are put together
 */
export function splitSections(text: string): TextBlock[] {
  if (!text.includes('</')) return [{ kind: 'text', text }]
  const pairs = findPairs(text)
  let next = 0
  let left = MAX_SECTIONS
  const build = (from: number, to: number, depth: number): TextBlock[] => {
    const blocks: TextBlock[] = []
    let at = from
    const addText = (end: number) => end > at && blocks.push({ kind: 'text', text: text.slice(at, end) })
    for (let pair = pairs[next]; pair !== undefined && pair[0].start < to; pair = pairs[next]) {
      next++
      if (depth === MAX_DEPTH || left === 0) continue
      left--
      const [open, close] = pair
      addText(open.start)
      blocks.push({
        kind: 'section',
        open: text.slice(open.start, open.end),
        blocks: build(open.end, close.start, depth + 1),
        close: text.slice(close.start, close.end),
      })
      at = close.end
    }
    addText(to)
    return blocks
  }
  return build(0, text.length, 0)
}

/** Opening tags with their closing tags, in the order in which they open. */
function findPairs(text: string): (readonly [Tag, Tag])[] {
  const pairs: (readonly [Tag, Tag])[] = []
  const opened: Tag[] = []
  /** Number of opened tags by name, so that a closing tag without an opening one costs nothing. */
  const counts = new Map<string, number>()
  const addCount = (name: string, change: number) => counts.set(name, (counts.get(name) ?? 0) + change)
  let fence: string | undefined
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start)
    const end = found < 0 ? text.length : found
    const head = text.slice(start, Math.min(end, start + LONGEST_TAG))
    fence = readFence(head, fence)
    const { open, close } = fence === undefined ? readTags(head, text.slice(Math.max(start, end - 300), end)) : {}
    // The line break belongs to the tag, so that the text inside has no empty lines at its ends.
    const isAlone = open !== undefined && open.length === end - start
    const openEnd = start + (open?.length ?? 0) + (isAlone && end < text.length ? 1 : 0)
    if (open) opened.push({ name: open.name, start, end: openEnd })
    if (open) addCount(open.name, 1)
    if (close && (counts.get(close.name) ?? 0) > 0) {
      let tag = opened.pop()
      while (tag !== undefined && tag.name !== close.name) {
        addCount(tag.name, -1)
        tag = opened.pop()
      }
      addCount(close.name, -1)
      const after = Math.min(end + 1, text.length)
      if (tag) pairs.push([tag, { name: close.name, start: end - close.length, end: after }])
    }
    start = end + 1
  }
  return pairs.sort(([a], [b]) => a.start - b.start)
}

interface LineTag {
  name: string
  length: number
}

/** The tags at the ends of a line, unless the line is a whole element. */
function readTags(head: string, tail: string): { open?: LineTag; close?: LineTag } {
  const opening = OPEN.exec(head)
  const closing = CLOSE.exec(tail)
  const [before = '', name = '', attributes = ''] = opening ?? []
  const isOpen = opening !== null && !attributes.endsWith('/') && !head.includes(`</${name}`, before.length)
  return {
    ...(isOpen && { open: { name, length: before.length } }),
    ...(closing &&
      !tail.includes(`<${closing[1]}`) && { close: { name: closing[1] ?? '', length: closing[0].length } }),
  }
}

/** The fence of the code in which the next line is. */
function readFence(line: string, fence: string | undefined): string | undefined {
  const [, marks = '', rest = ''] = FENCE.exec(line) ?? []
  if (marks === '') return fence
  if (fence !== undefined) return marks.startsWith(fence) && rest.trim() === '' ? undefined : fence
  return marks.startsWith('`') && rest.includes('`') ? undefined : marks
}

/** The first characters of the blocks. A section that is cut has no closing tag. */
export function cutBlocks(blocks: readonly TextBlock[], limit: number): TextBlock[] {
  let left = limit
  const take = (text: string) => {
    const taken = text.slice(0, left)
    left -= taken.length
    return taken
  }
  const cut = (list: readonly TextBlock[]): TextBlock[] => {
    const kept: TextBlock[] = []
    for (const block of list) {
      if (left <= 0) break
      if (block.kind === 'text') kept.push({ kind: 'text', text: take(block.text) })
      else kept.push({ ...block, open: take(block.open), blocks: cut(block.blocks), close: take(block.close) })
    }
    return kept
  }
  return cut(blocks)
}

/** The text of blocks. */
export function joinBlocks(blocks: readonly TextBlock[]): string {
  return blocks
    .map((block) => (block.kind === 'text' ? block.text : block.open + joinBlocks(block.blocks) + block.close))
    .join('')
}

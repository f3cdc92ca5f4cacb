import { describe, expect, it } from 'vitest'
import { cutBlocks, joinBlocks, splitSections, type TextBlock } from './xml-sections.ts'

/** Sections as lists that start with their tag. */
function outline(blocks: readonly TextBlock[]): unknown[] {
  return blocks.map((block) => (block.kind === 'text' ? block.text : [block.open.trim(), ...outline(block.blocks)]))
}

describe('the sections of a text', () => {
  it.each<[string, string, unknown[]]>([
    ['a block', 'Read.\n<doc id="1">\nText\n</doc>\nEnd', ['Read.\n', ['<doc id="1">', 'Text\n'], 'End']],
    ['the whole text', '<policy>\nNo.\n</policy>', [['<policy>', 'No.\n']]],
    ['blocks in each other', '<a>\n<b>\nx\n</b>\n</a>', [['<a>', ['<b>', 'x\n']]]],
    ['an indented block', '  <a>\n    x\n  </a>', [['<a>', '    x\n']]],
    ['a block that starts and ends in its lines', '<a>one\ntwo</a>', [['<a>', 'one\ntwo']]],
    ['lines of Windows', '<a>\r\nx\r\n</a>\r\n', [['<a>', 'x\r\n']]],
  ])('are found: %s', (_, text, expected) => {
    expect(outline(splitSections(text))).toEqual(expected)
    expect(joinBlocks(splitSections(text))).toBe(text)
  })

  it.each([
    ['an element in one line', '<answer>Sylvania</answer>'],
    ['tags inside a line', 'Use <cite>tags\nand</cite> more'],
    ['unclosed', '<a>\nx'],
    ['closed only', 'x\n</a>'],
    ['self-closing', '<a/>\nx\n</a>'],
    ['in fenced code', '```xml\n<a>\nx\n</a>\n```'],
    ['generics', 'List<String>\nx\n</String> y'],
    ['an address', '<https://a.example>\n</https>'],
  ])('are not: %s', (_, text) => {
    expect(splitSections(text)).toEqual([{ kind: 'text', text }])
  })

  it('do not cross', () => {
    const text = '<a>\n<b>\nx\n</a>\n</b>'
    expect(outline(splitSections(text))).toEqual([['<a>', '<b>\nx\n'], '</b>'])
  })

  it('stay text where they are too deep or too many', () => {
    const deep = `${'<a>\n'.repeat(50)}x\n${'</a>\n'.repeat(50)}`
    expect(joinBlocks(splitSections(deep))).toBe(deep)
    expect(JSON.stringify(splitSections(deep)).match(/section/g)).toHaveLength(12)
    const many = '<a>\nx\n</a>\n'.repeat(1_000)
    expect(joinBlocks(splitSections(many))).toBe(many)
    expect(splitSections(many)).toHaveLength(301)
  })

  it('can be cut', () => {
    const text = '1234\n<a>\n5678\n</a>'
    for (let limit = 0; limit <= text.length; limit++) {
      expect(joinBlocks(cutBlocks(splitSections(text), limit))).toBe(text.slice(0, limit))
    }
    expect(outline(cutBlocks(splitSections(text), 11))).toEqual(['1234\n', ['<a>', '56']])
  })

  it.each(['<a>', '<a>\n', '</a>\n', '<a>\n</a>\n', '<a>\n</b>\n', '<a\n', '<a ', '```\n', '<a>\n<b>\n</a>\n'])(
    'take time that grows with the length of %j',
    (part) => {
      const text = `${part.repeat(1_000_000 / part.length)}</`
      const before = process.cpuUsage()
      expect(joinBlocks(splitSections(text))).toBe(text)
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1e6).toBeLessThan(10)
    },
  )
})

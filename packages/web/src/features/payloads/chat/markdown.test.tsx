// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, describe, expect, it } from 'vitest'
import Markdown from './markdown.tsx'

afterEach(cleanup)

/** What a reader sees: the text with its line breaks. */
function readText(source: string): string {
  const { container } = render(<Markdown source={source} />)
  for (const lineBreak of container.querySelectorAll('br')) lineBreak.replaceWith('\n')
  return container.textContent
}

const withoutSpaces = (text: string) => text.replaceAll(/\s+/g, '')

describe('Markdown shows every character', () => {
  it.each([
    [
      'a prompt with documents',
      'Answer from the documents.\n\n<documents>\n<document index="1">\nThe capital of Freedonia is Sylvania.\n</document>\n</documents>\n\nUse <cite>tags</cite> and List<String>.',
    ],
    ['a message that is one block', '<policy>\nNo refunds.\n</policy>'],
    ['thoughts and an answer', '<thinking>\nshort\n</thinking>\n\n<answer>Sylvania</answer>'],
    ['placeholders', 'Hello <name>, your id is <id>'],
    ['generics', 'Return a Map<String, List<Integer>> and a Promise<T>.'],
    ['a comment', 'before <!-- note to the model --> after\n\n<!-- a block -->\n\nend'],
    ['CDATA', '<![CDATA[ x < y && z ]]>\n\nand <![CDATA[inline]]> too'],
    ['a declaration and an instruction', '<?xml version="1.0"?>\n<!DOCTYPE x>\n<?php echo 1 ?>'],
    ['a table of HTML', '<table>\n  <tr><td>1</td><td>2</td></tr>\n</table>'],
    ['scripts', '<script>alert(1)</script>\n\n<style>*{display:none}</style> <img src=x onerror="y">'],
    ['closed and crossed tags', '<b>bold <i>both</b> italic</i> </end> <br/> <unclosed'],
    ['products', '2*3*4 is 24, a*b*c, 2**3**4 and x * y * z'],
    ['globs', 'rm *.o src/**/*.ts and lib/**/*.js or *.*'],
    ['arguments', 'def f(*args, **kwargs): return g(*args, **kwargs)'],
    ['SQL', 'SELECT *, count(*) FROM t; /* all */'],
    ['identifiers', 'my_long_name, __init__, _private_ and __name__ == "__main__"'],
    ['headings', '# First\n## Second ##\n#hashtag\n####### seven\n# of items: 5'],
    ['lists with their numbers', '7. seven\n9. nine\n9. again\n\n3) three\n\n1986. A great year'],
    ['bullets', '- removed\n+ added\n* starred\n\n- [ ] open\n- [X] done'],
    ['quotes', '> 5 items\n\n>> twice'],
    ['rules and underlines', 'Title\n=====\n\nabove\n\n---\n\n***\n\nName\n___'],
    ['struck text', 'do ~~not~~ pay ~5 or ~~6'],
    ['entities', '&lt;b&gt; &amp; &nbsp; &#65; &copy;'],
    ['escapes', '\\(x\\) \\[y\\] C:\\_dir \\* 1\\. \\frac{a}{b} \\\\ \\{z\\}'],
    ['continued commands', 'curl \\\n  --head \\\n  example'],
    ['references', '[1]: https://a.example/x "title"\n\nSee [1] and [text][1].\n\n[^1] note\n\n[^1]: The note.'],
    ['addresses in brackets', 'See <https://a.example/x> or <me@a.example>.'],
    ['links that cannot be opened', 'handlers[name](event) and [run](javascript:alert(1)) ![pic](./local.png)'],
    ['indented text', 'if x:\n    return y\n\n    <item>\n        deep *word*s\n    </item>'],
    ['languages of code', '```py title="a.py"\nx = 1\n```'],
    ['mathematics', '$a_i*b_i$ and $(x^*, y^*)$ with $$\\sum_{i=1}^n x_i < 3$$'],
  ])('of %s', (_, source) => {
    expect(withoutSpaces(readText(source))).toBe(withoutSpaces(source.replaceAll('```', '')))
  })

  it('but draws marks that surround words', () => {
    const source = 'a *b* **c d** ***e f*** _g h_ `x` [l](https://a.example/) **重要**です'
    expect(readText(source)).toBe('a b c d e f g h x l 重要です')
    const { container } = render(<Markdown source={source} />)
    expect([...container.querySelectorAll('strong')].map((node) => node.textContent)).toEqual(['c d', 'e f', '重要'])
    expect([...container.querySelectorAll('em')].map((node) => node.textContent)).toEqual(['b', 'e f', 'g h'])
  })

  it('with line breaks and indents', () => {
    expect(readText('def f():\n    if x:\n        return <y>')).toBe('def f():\n    if x:\n        return <y>')
    expect(readText('- a\n    b\n  c').trim()).toBe('- a\n  b\nc')
  })

  it('with all cells of a table', () => {
    expect(withoutSpaces(readText('| a | b |\n| - | - |\n| 1 | 2 | 3 | <T> |'))).toBe('ab123<T>')
  })
})

const FRAGMENTS = [
  ...[
    'word',
    'a_b',
    '2*3',
    '**',
    '*',
    '_',
    '__',
    '~~',
    '`',
    '``',
    '\n',
    '\n\n',
    '\n```\n',
    '\n```py x\n',
    '    ',
    ' ',
    ' ',
    '\t',
  ],
  ...[
    '\n- ',
    '\n+ ',
    '\n7. ',
    '\n3) ',
    '\n> ',
    '\n# ',
    '\n---\n',
    '\n===\n',
    '|',
    '\n| a | b |\n| - | - |\n| c | d | e |\n',
  ],
  ...[
    '<a>',
    '</a>',
    '\n<b c="d">\n',
    '\n</b>\n',
    '<!-- x -->',
    '<![CDATA[y]]>',
    '&lt;',
    '\\(',
    '\\',
    '<x@y.zz>',
    '<https://h.io/p>',
  ],
  ...['[l]', '(u)', '[^1]', '\n[1]: q\n', '\n[^1]: r\n', '!', 'www.h.io', 'f(x)', '\u05d0', '{z}', '\r\n', '"', '$'],
]

/** Numbers from 0 to 1, the same for each seed. */
function* random(seed: number) {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state / 2 ** 32
  }
}

/** Without what may be a mark of Markdown that is not drawn. */
const withoutMarks = (text: string) => text.replaceAll(/[\s*_`~|>:-]/g, '')

/** Characters of a text that another one does not have in the same order. */
function findMissing(text: string, shown: string): string {
  let at = 0
  for (const [index, character] of [...text].entries()) {
    const found = shown.indexOf(character, at)
    if (found < 0) return text.slice(index)
    at = found + 1
  }
  return ''
}

it('Markdown of any kind keeps its letters, digits and other signs', () => {
  const numbers = random(34)
  for (let round = 0; round < 400; round++) {
    const source = Array.from({ length: 20 }, () => {
      return FRAGMENTS[Math.floor((numbers.next().value ?? 0) * FRAGMENTS.length)]
    }).join('')
    expect({ source, missing: findMissing(withoutMarks(source), withoutMarks(readText(source))) }).toEqual({
      source,
      missing: '',
    })
    cleanup()
  }
})

describe('a section', () => {
  it('is folded by its opening tag, and both tags stay', async () => {
    const { container } = render(<Markdown source={'Read.\n\n<doc id="1">\n# Title\n\n**bold** <b>\n</doc>\nEnd.'} />)
    expect(container.textContent).toBe('Read.<doc id="1"># Title\nbold <b></doc>End.')
    await userEvent.click(screen.getByRole('button', { name: '<doc id="1">', expanded: true }))
    expect(container.textContent).toBe('Read.<doc id="1">22 characters</doc>End.')
  })

  it('that is cut has no closing tag', () => {
    const { container } = render(<Markdown source={'<doc>\n  one\n  two\n</doc>'} limit={11} />)
    expect(container.textContent).toBe('<doc>one')
  })
})

describe('terminal colors', () => {
  it('are drawn in code, and left out elsewhere', () => {
    const { container } = render(
      <Markdown source={'\u001b[31mA\u001b[0m `\u001b[32mB\u001b[0m`\n\n```\n\u001b[1;31mFAILED\u001b[0m\n```'} />,
    )
    expect(container.textContent.replaceAll('\n', '')).toBe('A BFAILED')
    expect(screen.getByText('FAILED').className).toContain('text-err')
  })
})

describe('a hostile text', () => {
  it.each(['> ', '>', '- ', '1. ', '(*', '**a*', '<a>', '[a](', '`a'])(
    'of many %j does not take time that grows with its square',
    (part) => {
      const source = part.repeat(50_000 / part.length)
      const before = process.cpuUsage()
      expect(renderToStaticMarkup(<Markdown source={source} />).length).toBeGreaterThan(source.length)
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1e6).toBeLessThan(15)
    },
  )
})

/** Elements with a direction, in document order. */
function readDirections(source: string): string[] {
  const { container } = render(<Markdown source={source} />)
  return [...container.querySelectorAll('[dir]')].map((node) => `${node.localName} ${node.getAttribute('dir')}`)
}

describe('the direction of Markdown', () => {
  it('is found for each paragraph and heading', () => {
    expect(readDirections('# שלום\n\nمرحبا\n\nHello')).toEqual(['p auto', 'p auto', 'p auto'])
  })

  it('is the same for all items of a list, also with paragraphs in them', () => {
    expect(readDirections('- واحد\n\n- اثنان')).toEqual(['ul auto'])
  })

  it('is found for each cell of a table', () => {
    expect(readDirections('| a | ب |\n| - | - |\n| 1 | ج |')).toEqual(['th auto', 'th auto', 'td auto', 'td auto'])
  })

  it('is left to right for code', () => {
    expect(readDirections('שלום `x = 1`\n\n```\ny = 2\n```')).toEqual(['p auto', 'code ltr', 'pre ltr', 'code ltr'])
  })
})

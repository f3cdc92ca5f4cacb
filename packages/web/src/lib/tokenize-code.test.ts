import { javascript, json } from '@codemirror/legacy-modes/mode/javascript'
import { python } from '@codemirror/legacy-modes/mode/python'
import { describe, expect, it } from 'vitest'
import { findLanguage } from './code-languages.ts'
import { PYTHON, TYPESCRIPT } from './snippets.ts'
import { tokenizeCode } from './tokenize-code.ts'

describe('tokenizing code', () => {
  it.each([
    ['Python', PYTHON, python],
    ['TypeScript', TYPESCRIPT, javascript],
    ['an unfinished string over lines', 'x = """a\n\nb', python],
    ['no text', '', python],
    ['other text', '\u0000 😀 ` ${ \n\r\n"', javascript],
  ])('keeps every character of %s', (_, text, parser) => {
    expect(
      tokenizeCode(text, parser)
        .map((token) => token.text)
        .join(''),
    ).toBe(text)
  })

  it('finds keywords, strings, numbers and comments', () => {
    const kinds = tokenizeCode('# why\nif x == 1:\n    return "a"', python).flatMap(({ text, kind }) =>
      kind && kind !== 'punctuation' ? [[text, kind]] : [],
    )
    expect(kinds).toEqual([
      ['# why', 'comment'],
      ['if', 'keyword'],
      ['1', 'number'],
      ['return', 'keyword'],
      ['"a"', 'string'],
    ])
  })

  it('tells keys of JSON from texts', () => {
    const colored = tokenizeCode('{"key": "text", "other": null}', json).filter(({ kind }) => kind !== undefined)
    expect(colored.filter(({ kind }) => kind !== 'punctuation')).toEqual([
      { text: '"text"', kind: 'string' },
      { text: 'null', kind: 'constant' },
    ])
  })

  it('knows the names of languages after a fence', () => {
    expect(['py', 'TSX', 'bash', 'c++', '__proto__', ''].map(findLanguage)).toEqual([
      'python',
      'typescript',
      'shell',
      'cpp',
      undefined,
      undefined,
    ])
  })
})

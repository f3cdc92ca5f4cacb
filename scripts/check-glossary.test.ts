import { describe, expect, it } from 'vitest'
import { checkGlossary } from './check-glossary.ts'
import { findForbiddenWords, parseForbiddenWords } from './glossary/find-forbidden-words.ts'

const GLOSSARY = `# Glossary

| Term | Meaning |
| --- | --- |
| run | one step |

## Words we do not use

| Do not write | Write |
| --- | --- |
| gizmo, gadgets | tool |
| in time | on time |
`

describe('the glossary check', () => {
  const words = parseForbiddenWords(GLOSSARY)
  const find = (text: string) => findForbiddenWords(text, words).map(({ line, word }) => [line, word])

  it('reads the forbidden words and their replacements from the glossary', () => {
    expect(words).toEqual([
      { word: 'gizmo', instead: 'tool' },
      { word: 'gadgets', instead: 'tool' },
      { word: 'in time', instead: 'on time' },
    ])
  })

  it('finds a word in any case, as a part of a name and in a phrase', () => {
    expect(find('The gizmo\nreadGizmo(GIZMO_ROWS)\nkept in time')).toEqual([
      [0, 'gizmo'],
      [1, 'gizmo'],
      [1, 'gizmo'],
      [2, 'in time'],
    ])
  })

  it('does not find a word inside another word', () => {
    expect(find('gizmology ingadgets gizmoless in-gizmo')).toEqual([])
  })

  it('holds in this repository', () => {
    expect(checkGlossary()).toEqual([])
  })
})

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
| spine, spines | run tree |
| for ever | forever |
`

describe('the glossary check', () => {
  const words = parseForbiddenWords(GLOSSARY)
  const find = (text: string) => findForbiddenWords(text, words).map(({ line, word }) => [line, word])

  it('reads the forbidden words and their replacements from the glossary', () => {
    expect(words).toEqual([
      { word: 'spine', instead: 'run tree' },
      { word: 'spines', instead: 'run tree' },
      { word: 'for ever', instead: 'forever' },
    ])
  })

  it('finds a word in any case, as a part of a name and in a phrase', () => {
    expect(find('The spine\nreadSpine(SPINE_ROWS)\nkept for ever')).toEqual([
      [0, 'spine'],
      [1, 'spine'],
      [1, 'spine'],
      [2, 'for ever'],
    ])
  })

  it('does not find a word inside another word', () => {
    expect(find('porcupine inspines spineless in-spine')).toEqual([])
  })

  it('holds in this repository', () => {
    expect(checkGlossary()).toEqual([])
  })
})

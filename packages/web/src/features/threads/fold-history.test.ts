import { describe, expect, it } from 'vitest'
import { foldHistory } from './fold-history.ts'

const words = (text: string) => (text === '' ? [] : text.split(' '))
/** The turn as one sees it: what is repeated in brackets. */
function seen(known: string, input: string, output: string): string {
  const folded = foldHistory(words(known), words(input), words(output))
  const side = (text: string, flags: readonly boolean[]) =>
    words(text).map((word, at) => (flags[at] ? `(${word})` : word))
  return [...side(input, folded.input), '>', ...side(output, folded.output)].join(' ')
}

describe('folding repeated history', () => {
  it.each([
    ['the first turn is new', '', 's q1', 'a1', 's q1 > a1'],
    ['the whole conversation comes along', 's q1 a1', 's q1 a1 q2', 'a2', '(s) (q1) (a1) q2 > a2'],
    ['only a window of it comes along', 's q1 a1 q2 a2', 's q2 a2 q3', 'a3', '(s) (q2) (a2) q3 > a3'],
    ['the system prompt changes with every turn', 's1 q1 a1', 's2 q1 a1 q2', 'a2', 's2 (q1) (a1) q2 > a2'],
    ['nothing comes along', 'q1 a1', 'q2', 'a2', 'q2 > a2'],
    ['the same is asked again, alone', 'yes ok', 'yes', 'ok', 'yes > ok'],
    ['the same is asked again, with history', 's yes ok', 's yes ok yes', 'ok', '(s) (yes) (ok) yes > ok'],
    ['a failed turn is tried again', 's q1', 's q1', 'a1', '(s) q1 > a1'],
    ['the answer is the whole state', 'q1 a1', 'q1 a1 q2', 'q1 a1 q2 t r a2', '(q1) (a1) q2 > (q1) (a1) (q2) t r a2'],
    ['the state is kept elsewhere and answered whole', 'q1 a1', 'q2', 'q1 a1 q2 a2', 'q2 > (q1) (a1) (q2) a2'],
    ['a tool is called as before', 'q1 call result a1', 'q2', 'call result a2', 'q2 > call result a2'],
    ['nothing can be read of the input', 'q1 a1', '', 'a1', ' > a1'],
  ])('%s', (_, known, input, output, expected) => {
    expect(seen(known, input, output)).toBe(expected.trim())
  })

  it('returns the conversation that the next turn may repeat', () => {
    expect(foldHistory(words('q1 a1'), words('q1 a1 q2'), words('a2')).conversation).toEqual(words('q1 a1 q2 a2'))
    expect(foldHistory(words('q1 a1'), words('q2'), words('q1 a1 q2 a2')).conversation).toEqual(words('q1 a1 q2 a2'))
  })

  it('handles a thousand messages quickly', () => {
    const history = Array.from({ length: 1000 }, (_, at) => `message ${at % 7} ${at}`)
    const folded = foldHistory(history, [...history, 'new'], ['answer'])
    expect(folded.input.filter(Boolean)).toHaveLength(1000)
  })
})

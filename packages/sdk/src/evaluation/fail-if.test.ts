import { describe, expect, it } from 'vitest'
import { findFailures, type GateFigures, needsBaseline, parseFailIf } from './fail-if.ts'

describe('a condition', () => {
  it.each([
    ['correctness.mean<0.8', { key: 'correctness', figure: 'mean', operator: '<', value: 0.8 }],
    [' a.b c.p_value_of.n >= 3 ', { key: 'a.b c.p_value_of', figure: 'n', operator: '>=', value: 3 }],
    ['error_rate>5%', { key: undefined, figure: 'error_rate', operator: '>', value: 0.05 }],
    ['k.verdict==worse', { key: 'k', figure: 'verdict', operator: '=', value: 'worse' }],
    ['k.verdict != no_difference_shown', { figure: 'verdict', operator: '!=', value: 'no difference shown' }],
    ['k.difference<-0.05', { figure: 'difference', operator: '<', value: -0.05 }],
    ['k.p>1e-3', { figure: 'p', operator: '>', value: 0.001 }],
  ])('%s is read', (text, expected) => {
    expect(parseFailIf(text)).toMatchObject({ text: text.trim(), ...expected })
  })

  it.each([
    ['', 'it is not of the form'],
    ['correctness.mean', 'it is not of the form'],
    ['correctness<1', 'there is no figure correctness'],
    ['correctness.median<1', 'a key has no figure median'],
    ['.mean<1', 'a key has no figure mean'],
    ['correctness.mean<high', 'high is not a number'],
    ['correctness.mean<', 'it is not of the form'],
    ['correctness.verdict<worse', 'a verdict is compared by = or !='],
    ['correctness.verdict=bad', 'there is no verdict bad'],
  ])('%j is refused with a reason', (text, because) => {
    expect(() => parseFailIf(text)).toThrow(because)
  })

  it('asks for a baseline only when it is about one', () => {
    expect(needsBaseline([parseFailIf('k.mean<1'), parseFailIf('error_rate>0')])).toBe(false)
    expect(needsBaseline([parseFailIf('k.mean<1'), parseFailIf('k.wins<1')])).toBe(true)
  })
})

describe('a gate', () => {
  const figures: GateFigures = {
    experiment: { error_rate: 0, total_cost: null },
    feedback: { k: { mean: 0.8, n: 10, verdict: 'no_difference_shown', p: Number.NaN } },
  }
  const failing = (...texts: string[]) => findFailures(texts.map(parseFailIf), figures).map(({ message }) => message)

  it('lets through what no condition holds for', () => {
    expect(failing('k.mean<0.8', 'k.n!=10', 'error_rate>0', 'k.verdict=worse')).toEqual([])
  })

  it('names every condition that holds, with the figure', () => {
    expect(failing('k.mean<=0.8', 'k.n>=10', 'error_rate=0', 'k.verdict!=better')).toEqual([
      'k.mean<=0.8: it is 0.8',
      'k.n>=10: it is 10',
      'error_rate=0: it is 0',
      'k.verdict!=better: it is no difference shown',
    ])
  })

  it('fails for what was not measured', () => {
    const absent = ['other.mean<1', 'toString.n<1', 'k.p<0.05', 'k.difference<0', 'total_cost>1']
    expect(failing(...absent)).toEqual(absent.map((text) => expect.stringContaining(`${text}: there is no figure`)))
  })
})

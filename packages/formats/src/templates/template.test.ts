import { describe, expect, it } from 'vitest'
import { listOptionalVariables } from './template.ts'
import { countReads } from './testing/count-reads.ts'

describe('the optional variables of a mustache template', () => {
  it('are looked up in each item of a section once, however many tags there are', () => {
    const count = (tags: number) => {
      const items = Array.from({ length: 50 }, (_, at) => ({ [`m${at}`]: 1 }))
      const { value, reads } = countReads({ l: items })
      const names = Array.from({ length: tags }, (_, at) => `v${at}`)
      const template = `{{#l}}${names.map((name) => `{{${name}}}{{#${name}}}{{/${name}}}`).join('')}{{/l}}`
      expect(listOptionalVariables(template.repeat(2), 'mustache', value)).toEqual(names)
      return reads()
    }
    // The value itself is asked for the name of each section.
    expect(count(400) - count(100)).toBeLessThanOrEqual(300)
  })

  it('are the same for a section that is opened again', () => {
    const values = { l: [{ a: 1, n: [{ b: 2 }] }], b: 3 }
    const template = '{{#l}}{{a}}{{#n}}{{a}}{{b}}{{c}}{{/n}}{{b}}{{/l}}'
    expect(listOptionalVariables(template.repeat(3), 'mustache', values)).toEqual(['c', 'b'])
  })

  it('are none in sections that are too deep to be rendered', () => {
    expect(listOptionalVariables('{{#a}}{{b}}'.repeat(100), 'mustache')).toEqual(['b'])
    expect(listOptionalVariables('{{#a}}{{b}}'.repeat(101), 'mustache')).toEqual([])
  })
})

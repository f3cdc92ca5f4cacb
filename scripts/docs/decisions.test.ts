import { describe, expect, it } from 'vitest'
import { printDecisions, readDecision } from './decisions.ts'

const page = (title: string, status: string, summary = 'One line.') =>
  `${title}\n\n**Status:** ${status}\n\n**Summary:** ${summary}\n\n**Context.** Text.\n`

describe('a decision page', () => {
  it.each(['Accepted', 'Superseded by [8](0008-other.md)', 'Amended by [8](0008-other.md), [12](0012-third.md)'])(
    'has a number, a title, the status %s and a summary',
    (status) => {
      const decision = { file: '0007-one.md', number: 7, title: 'One', status }

      expect(readDecision('0007-one.md', page('# 7. One', status))).toEqual(decision)
    },
  )

  it('may have a status of two lines', () => {
    const text = page('# 7. One', 'Amended by [8](0008-other.md),\n[12](0012-third.md)')

    expect(readDecision('0007-one.md', text)).toMatchObject({
      status: 'Amended by [8](0008-other.md), [12](0012-third.md)',
    })
  })

  it.each([
    ['another format of its title', page('# 0007: One', 'Accepted')],
    ['the number of another page', page('# 8. One', 'Accepted')],
    ['an unknown status', page('# 7. One', 'Good')],
    ['a status without a link', page('# 7. One', 'Superseded by 8')],
    ['a summary of two lines', page('# 7. One', 'Accepted', 'One\nline.')],
    ['a summary that is too long', page('# 7. One', 'Accepted', `${'long '.repeat(24)}.`)],
    ['no summary', '# 7. One\n\n**Status:** Accepted\n\n**Context.** Text.\n'],
  ])('is refused with %s', (_, text) => {
    expect(readDecision('0007-one.md', text)).toHaveProperty('problem')
  })

  it('is a row of the table', () => {
    expect(printDecisions([{ file: '0007-one.md', number: 7, title: 'One', status: 'Accepted' }])).toBe(
      '| Number | Title | Status |\n| --- | --- | --- |\n| [7](0007-one.md) | One | Accepted |',
    )
  })
})

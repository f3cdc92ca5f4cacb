import { describe, expect, it } from 'vitest'
import { getArea, toWorkspacePath } from './areas.ts'
import { listOtherRecents, rankMatch, readReference } from './palette.ts'

const id = '0197f2a4-3c10-7d21-9b55-2f4b8e7a1c01'
const origin = 'http://localhost:3000'

describe('a pasted reference', () => {
  it.each([id, id.toUpperCase(), id.replaceAll('-', ''), `"${id}"`, `run ${id}`])('reads %s as an id', (text) => {
    expect(readReference(text, origin)).toEqual({ kind: 'id', id })
  })

  it.each([
    [`${origin}/o/t/projects/p/${id}?t=24h`, `/o/t/projects/p/${id}?t=24h`],
    [`https://elsewhere.example/o/t/projects/p/${id}/r/${id}?poll=true`, `/o/t/projects/p/${id}/r/${id}?poll=true`],
    [`/public/${id}/r`, `/public/${id}/r`],
  ])('reads %s as a path of ours', (text, href) => {
    expect(readReference(text, origin)).toEqual({ kind: 'path', href })
  })

  it('looks for an id in a link of another shape', () => {
    expect(readReference(`https://elsewhere.example/runs/${id}`, origin)).toEqual({ kind: 'id', id })
  })

  it.each(['support bot', '', 'https://example.com/docs', `please look at the run ${id} for me`])(
    'takes %j for words',
    (text) => {
      expect(readReference(text, origin)).toBeUndefined()
    },
  )
})

describe('a name is found', () => {
  it.each([
    ['support-bot', 'supp', 1],
    ['my support-bot', 'supp', 0.9],
    ['unsupported', 'supp', 0.7],
    ['settings Model prices', 'prices model', 0.5],
    ['support-bot', 'sbot', 0.2],
    ['action Ten rows up', 'supp', 0],
    ['support-bot', 'xyz', 0],
    ['anything', '', 1],
  ])('%s by %j: %d', (name, typed, rank) => {
    expect(rankMatch(name, typed)).toBe(rank)
  })
})

describe('the recent pages in the palette', () => {
  it('are five others of the workspace', () => {
    const pages = [1, 2, 3, 4, 5, 6, 7].map((n) => ({
      kind: 'project' as const,
      label: `p${n}`,
      href: `/o/a/projects/p/${n}?t=24h`,
    }))
    const elsewhere = { kind: 'dataset' as const, label: 'd', href: '/o/b/datasets/d' }
    const listed = listOtherRecents([elsewhere, ...pages], 'a', '/o/a/projects/p/2')
    expect(listed.map(({ label }) => label)).toEqual(['p1', 'p3', 'p4', 'p5', 'p6'])
  })
})

describe('switching to another workspace', () => {
  it.each([
    ['/o/a', '/o/b'],
    ['/o/a/projects', '/o/b/projects'],
    ['/o/a/projects/p/1/r/2', '/o/b/projects'],
    ['/o/a/compare-runs', '/o/b/projects'],
    ['/o/a/datasets', '/o/b/datasets'],
    ['/o/a/datasets/1/compare', '/o/b/datasets'],
    ['/o/a/prompts/-/joke/3f1c0b7d', '/o/b/prompts'],
    ['/o/a/annotation-queues/1/review', '/o/b/annotation-queues'],
    ['/o/a/toString', '/o/b'],
    ['/o/a/settings', '/o/b/settings'],
    ['/o/a/settings/members', '/o/b/settings/members'],
    ['/account', '/o/b'],
  ])('leads from %s to %s', (from, to) => {
    expect(toWorkspacePath(from, 'b')).toBe(to)
  })
})

describe('the area of a page', () => {
  it.each([
    ['/o/a', 'home'],
    ['/o/a/projects/p/1', 'projects'],
    ['/o/a/compare-runs', 'projects'],
    ['/o/a/datasets/1/experiments', 'datasets'],
    ['/o/a/prompts/acme/joke', 'prompts'],
    ['/o/a/annotation-queues', 'annotation-queues'],
    ['/o/a/agents', 'agents'],
    ['/account', 'settings'],
    ['/o/a/toString', 'home'],
    ['/o/a/nonsense', 'home'],
  ])('of %s is %s', (pathname, area) => {
    expect(getArea(pathname)).toBe(area)
  })
})

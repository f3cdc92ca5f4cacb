import { describe, expect, it } from 'vitest'
import { toWorkspacePath } from './place-in-workspace.ts'

describe('switching to another workspace', () => {
  it.each([
    ['/o/a', '/o/b'],
    ['/o/a/projects', '/o/b/projects'],
    ['/o/a/projects/p/1/r/2', '/o/b/projects'],
    ['/o/a/settings', '/o/b/settings'],
    ['/o/a/settings/members', '/o/b/settings/members'],
    ['/account', '/o/b'],
  ])('leads from %s to %s', (from, to) => {
    expect(toWorkspacePath(from, 'b')).toBe(to)
  })
})

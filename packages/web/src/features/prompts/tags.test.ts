import { describe, expect, it } from 'vitest'
import { printHeaderLines, readHeaderLines } from '#lib/header-lines.ts'
import { pullSnippets } from './snippets.ts'
import { findLaterChange } from './tags.ts'

describe('headers of a webhook', () => {
  it('are one per line, and values keep their colons', () => {
    expect(readHeaderLines('authorization: Bearer a:b\n\n x-one :1')).toEqual({
      values: { authorization: 'Bearer a:b', 'x-one': '1' },
    })
    expect(printHeaderLines({ a: '********', b: '2' })).toBe('a: ********\nb: 2')
  })

  it.each(['no colon', ': value', 'a b: c'])('%j names the wrong line', (line) => {
    expect(readHeaderLines(`ok: 1\n${line}`)).toEqual({ problem: 'Line 2: write a name, a colon and a value.' })
  })
})

describe('a snippet that pulls a prompt', () => {
  const facts = { origin: 'http://localhost:3000', owner: '-', repo: 'joke', commit: 'latest', hasModel: false }
  const texts = (more: Partial<typeof facts>) => pullSnippets({ ...facts, ...more }).map(({ text }) => text)

  it('pulls the newest commit, a tag or a commit from this server', () => {
    const [python, typescript, curl] = texts({ commit: 'production' })
    expect(python).toContain('pull_prompt("joke:production")')
    expect(typescript).toContain("pullPromptCommit('joke:production')")
    expect(curl).toContain('http://localhost:3000/api/v1/commits/-/joke/production')
    expect(texts({})[0]).toContain('pull_prompt("joke")')
  })

  it('trusts a prompt of another workspace explicitly, and asks for the model', () => {
    const [python, typescript, curl] = texts({ owner: 'acme', hasModel: true })
    expect(python).toContain('pull_prompt("acme/joke", include_model=True, dangerously_pull_public_prompt=True)')
    expect(typescript).toContain("'acme/joke', { includeModel: true, dangerouslyPullPublicPrompt: true }")
    expect(curl).toContain('/commits/acme/joke/latest?include_model=true')
  })
})

describe('a tag after an event', () => {
  const [first, second] = ['1'.repeat(64), '2'.repeat(64)]
  const tagged = (commit_hash: string) => [{ tag_name: 'live', commit_hash }]
  it.each([
    ['tag:update', 'live', tagged(first), undefined],
    ['tag:update', 'live', tagged(second), 'The tag live points to commit 22222222 now.'],
    ['tag:create', 'live', [], 'The tag live was deleted since.'],
    ['tag:delete', 'live', [], undefined],
    ['tag:delete', 'live', tagged(first), 'The tag live points to commit 11111111 now.'],
    ['commit', null, tagged(second), undefined],
  ])('%s of %s: %j is %j', (event, tag_name, tags, sentence) => {
    expect(findLaterChange({ event, tag_name, commit_hash: first }, tags)).toBe(sentence)
  })
})

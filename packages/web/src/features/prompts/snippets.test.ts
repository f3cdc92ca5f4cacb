import { describe, expect, it } from 'vitest'
import { runMetadataSnippets } from './snippets.ts'

const texts = (owner: string, commit: string) =>
  runMetadataSnippets({ owner, repo: 'joke', commit }).map(({ text }) => text)

describe('the snippet that names a commit in the metadata of runs', () => {
  it('pulls the version of the dialog', () => {
    const [python, typescript] = texts('-', 'production')
    expect(python).toContain('client.pull_prompt_commit("joke:production")')
    expect(python).toContain('"lc_hub_owner": "-"')
    expect(typescript).toContain("client.pullPromptCommit('joke:production')")
    expect(texts('-', 'latest')[0]).toContain('pull_prompt_commit("joke")')
  })

  it('names the owner of a prompt of another workspace', () => {
    const [python, typescript] = texts('other', '0123abcd')
    expect(python).toContain('pull_prompt_commit("other/joke:0123abcd", dangerously_pull_public_prompt=True)')
    expect(python).toContain('"lc_hub_owner": "other"')
    expect(typescript).toContain("'other/joke:0123abcd', { dangerouslyPullPublicPrompt: true }")
    expect(typescript).toContain("lc_hub_owner: 'other'")
  })
})

import type { NotificationChannel } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { type ChannelDraft, findProblems, NEW_CHANNEL, toChange, toDraft, toWrite } from './channel-draft.ts'

const draft = (given: Partial<ChannelDraft>): ChannelDraft => ({ ...NEW_CHANNEL, name: 'Ops', ...given })
const stored = (config: NotificationChannel['config']) =>
  ({ name: 'Ops', kind: config?.kind, config, modified_at: 'then' }) as NotificationChannel

describe('the draft of a channel', () => {
  it.each<[Partial<ChannelDraft>, object]>([
    [
      { kind: 'slack', url: ' https://a.example ' },
      { kind: 'slack', url: 'https://a.example' },
    ],
    [
      { kind: 'webhook', url: 'https://a.example', headerText: 'a: b' },
      { kind: 'webhook', url: 'https://a.example', headers: { a: 'b' }, body: null },
    ],
    [
      { kind: 'slack_bot', token: 'x', channel: '#ops' },
      { kind: 'slack_bot', token: 'x', channel: '#ops', endpoint: null },
    ],
    [
      { kind: 'email', recipients: 'a@b.example,\nc@d.example' },
      { kind: 'email', to: ['a@b.example', 'c@d.example'] },
    ],
  ])('becomes a request: %o', (given, config) => {
    expect(toWrite(draft(given))).toEqual({ name: 'Ops', config })
  })

  it.each<[Partial<ChannelDraft>, string]>([
    [{ name: ' ' }, 'name'],
    [{ kind: 'slack' }, 'url'],
    [{ kind: 'webhook', url: 'ftp://a' }, 'url'],
    [{ kind: 'webhook', url: 'https://a.example', headerText: 'no colon' }, 'headerText'],
    [{ kind: 'webhook', url: 'https://a.example', body: '[]' }, 'body'],
    [{ kind: 'slack_bot', channel: '#ops' }, 'token'],
    [{ kind: 'pagerduty' }, 'routingKey'],
    [{ kind: 'email', recipients: ' ' }, 'recipients'],
  ])('names what is missing: %o', (given, field) => {
    expect(Object.keys(findProblems(draft(given), false))).toContain(field)
  })

  it('keeps stored secrets that are not typed again', () => {
    const slack = stored({ kind: 'slack', url: 'https://hooks.slack.com/…wxyz' })
    expect(findProblems(toDraft(slack), true)).toEqual({})
    expect(toChange({ ...toDraft(slack), name: 'On call' }, slack)).toEqual({
      name: 'On call',
      expected_modified_at: 'then',
    })
    const bot = stored({ kind: 'slack_bot', channel: '#ops', endpoint: null })
    expect(toChange({ ...toDraft(bot), channel: '#other' }, bot)).toEqual({
      config: { kind: 'slack_bot', channel: '#other', endpoint: null },
      expected_modified_at: 'then',
    })
  })
})

import { expect, it } from 'vitest'
import type { Notice } from '../notice.ts'
import { BodyTooLarge, writeWebhookBody } from './webhook.ts'

const NOTICE: Notice = {
  causeKind: 'test',
  causeId: '0197f2a4-3c10-7d21-9b55-2f4b8e7a1c01',
  key: 'k',
  incident: 'i',
  severity: 'info',
  isResolved: false,
  title: 'A title',
  text: 'x'.repeat(10_000),
  facts: [],
  links: [],
  body: { share: 0.5 },
  at: '2026-11-28T00:00:00.000000Z',
}
const write = (template: object) => writeWebhookBody(NOTICE, JSON.stringify({ $template: true, ...template }))

it('variables become their values, and unknown ones stay', () => {
  expect(JSON.parse(write({ title: 'It is: {{title}}', share: '{{share}}', other: '{{nothing}}' }))).toEqual({
    title: 'It is: A title',
    share: 0.5,
    other: '{{nothing}}',
  })
})

it.each([
  ['in one text', { all: '{{text}}'.repeat(1_000) }],
  ['as values of their own', { all: Array.from({ length: 1_000 }, () => '{{text}}') }],
])('a template that repeats a long value %s is refused', (_, template) => {
  expect(() => write(template)).toThrow(BodyTooLarge)
})

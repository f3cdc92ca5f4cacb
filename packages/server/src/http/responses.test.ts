import { describe, expect, it } from 'vitest'
import { etagMatches, wantsEventStream } from './responses.ts'

describe('a request asks for an event stream', () => {
  it.each([
    ['text/event-stream', true],
    ['text/event-stream; charset=utf-8', true],
    ['text/html, text/event-stream;q=0.9', true],
    ['text/event-stream, application/json', false],
    ['application/json', false],
    ['text/event-stream, */*', false],
    ['*/*', false],
    ['', false],
    [undefined, false],
  ])('Accept %j: %s', (accept, expected) => {
    expect(wantsEventStream(accept)).toBe(expected)
  })
})

describe('match an entity tag', () => {
  it.each([
    [undefined, false],
    ['"other"', false],
    ['"a"', true],
    ['W/"a"', true],
    ['"other", "a"', true],
    ['*', true],
  ])('If-None-Match: %s', (header, expected) => {
    expect(etagMatches(header, '"a"')).toBe(expected)
  })
})

import { describe, expect, it } from 'vitest'
import { cutBrokenListsInSteps } from './cut-broken-lists.ts'
import { finishSteps } from './steps.ts'

async function cut(text: string) {
  const bytes = Buffer.from(text)
  const members = finishSteps(cutBrokenListsInSteps(bytes))
  const textAt = ({ start, end }: { start: number; end: number }) => bytes.toString('utf8', start, end).trim()
  return members?.map((member) => [member.key, textAt(member), member.elements.map(textAt)])
}

describe('cutting an object that is not JSON', () => {
  it.each([
    ['{"post":[{"a":NaN}, {"b":"]},\\""}],"patch":[]}', ['{"a":NaN}', '{"b":"]},\\""}']],
    ['{"post":[{"a":undefined},{"b":[1,[2]]}],"patch":[]}', ['{"a":undefined}', '{"b":[1,[2]]}']],
    [' { "post" : [ {"a" "b" 1, "c":"\\x"} , {} ] , "patch" : [] } ', ['{"a" "b" 1, "c":"\\x"}', '{}']],
  ])('finds the elements of %s', async (text, elements) => {
    const members = await cut(text)
    expect(members?.map(([key]) => key)).toEqual(['post', 'patch'])
    expect(members?.[0]?.[2]).toEqual(elements)
    expect(members?.[1]?.[2]).toEqual([])
  })

  it.each([
    '{"post":[{"a":"}]}',
    '{"post":[{]}',
    '{"post":[{}]',
    'x{"post":[]}',
    '{"post":[]}}',
    '{"post":[]} x',
    '',
    '[NaN]',
  ])('does not guess where %j ends', async (text) => {
    expect((await cut(text)) ?? []).toEqual([])
  })
})

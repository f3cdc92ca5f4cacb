import { expect, it } from 'vitest'
import type { ShortcutGroup } from '#lib/keyboard/shortcuts.ts'
import { getFirstKey, listPageActions } from './palette-actions.ts'

const run = () => undefined
const groups: ShortcutGroup[] = [
  { scope: 'Global', shortcuts: [{ keys: 'mod+k', label: 'Search or jump', run }] },
  {
    scope: 'List',
    shortcuts: [
      { keys: ['j', 'arrowdown'], label: 'Next row', run },
      { keys: 't', label: 'Time range', run },
    ],
  },
  { scope: 'Run / trace', shortcuts: [{ keys: ['t', 'x'], label: 'Time range', run }] },
]

it('offers the actions of the page, each once, without what only moves a cursor', () => {
  const actions = listPageActions(groups)
  expect(actions.map(({ label }) => label)).toEqual(['Time range'])
  expect(getFirstKey(actions[0]!)).toBe('t')
})

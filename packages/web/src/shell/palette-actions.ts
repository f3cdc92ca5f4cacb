import type { Shortcut, ShortcutGroup } from '#lib/keyboard/shortcuts.ts'

/** What moves a cursor means nothing without the pane it moves in. */
const MOVES = /^(next|previous|first|last) (row|run|item|pane|node|trace)|^(move|walk)\b/i

/** What can be done on the page that is open, each once; what is everywhere has items of its own. */
export function pageActions(groups: readonly ShortcutGroup[]): Shortcut[] {
  const actions = groups.flatMap((group) => (group.scope === 'Global' ? [] : group.shortcuts))
  const wanted = actions.filter(({ label }) => !MOVES.test(label))
  return [...new Map(wanted.map((action) => [action.label, action])).values()]
}

/** The first key of a shortcut that has several. */
export function firstKey({ keys }: Shortcut): string {
  return typeof keys === 'string' ? keys : keys[0]!
}

import type { Shortcut, ShortcutGroup } from '#lib/keyboard/shortcuts.ts'

/** Shortcuts that move a cursor have no use in the palette. */
const CURSOR_MOVES = /^(next|previous|first|last) (row|run|item|pane|node|trace)|^page (up|down)|^(move|walk)\b/i

/** Actions of the open page, each once. Global actions have items of their own. */
export function listPageActions(groups: readonly ShortcutGroup[]): Shortcut[] {
  const actions = groups.flatMap((group) => (group.scope === 'Global' ? [] : group.shortcuts))
  const listed = actions.filter(({ label }) => !CURSOR_MOVES.test(label))
  return [...new Map(listed.map((action) => [action.label, action])).values()]
}

/** The first key of a shortcut that has several. */
export function getFirstKey({ keys }: Shortcut): string | undefined {
  return typeof keys === 'string' ? keys : keys[0]
}

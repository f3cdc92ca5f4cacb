import { describe, expect, it } from 'vitest'
import { ShortcutRegistry, showKeys } from './shortcuts.ts'

function press(key: string, modifiers: Partial<KeyboardEvent> = {}) {
  let prevented = false
  return {
    key,
    code: '',
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    isComposing: false,
    target: null,
    ...modifiers,
    get defaultPrevented() {
      return prevented
    },
    preventDefault() {
      prevented = true
    },
  } as KeyboardEvent
}

function registryOf(...groups: readonly Record<string, string>[]) {
  const ran: string[] = []
  const registry = new ShortcutRegistry()
  const removers = groups.map((group) =>
    registry.add({
      scope: 'Global',
      shortcuts: Object.entries(group).map(([keys, label]) => ({ keys, label, run: () => ran.push(label) })),
    }),
  )
  return { registry, ran, removers }
}

describe('the shortcut registry', () => {
  it('runs the shortcut of a key and keeps the browser from acting on it', () => {
    const { registry, ran } = registryOf({ j: 'next' })
    const event = press('j')
    registry.handle(event)
    expect(ran).toEqual(['next'])
    expect(event.defaultPrevented).toBe(true)
  })

  it('distinguishes j from J, and Ctrl K from k', () => {
    const { registry, ran } = registryOf({ j: 'next', 'shift+j': 'next trace', 'mod+k': 'palette', k: 'previous' })
    registry.handle(press('J', { shiftKey: true }))
    registry.handle(press('k', { ctrlKey: true }))
    registry.handle(press('k', { metaKey: true }))
    registry.handle(press('k'))
    expect(ran).toEqual(['next trace', 'palette', 'palette', 'previous'])
  })

  it('reads ? in any keyboard layout', () => {
    const { registry, ran } = registryOf({ '?': 'help' })
    registry.handle(press('?', { shiftKey: true }))
    registry.handle(press('?'))
    expect(ran).toEqual(['help', 'help'])
  })

  it.each([
    ['US', '!', 'Digit1'],
    ['Swiss', '+', 'Digit1'],
    ['Hungarian', "'", 'Digit1'],
  ])('reads Shift and a digit by the place of the key on a %s keyboard', (_, key, code) => {
    const { registry, ran } = registryOf({ 'shift+1': 'tree', '+': 'zoom in', '1': 'score' })
    registry.handle(press(key, { code, shiftKey: true }))
    expect(ran).toEqual(['tree'])
  })

  it.each([
    ['the first row of a French keyboard, with Shift', '1', 'Digit1', true],
    ['the first row of a US keyboard', '1', 'Digit1', false],
    ['the numeric keypad', '1', 'Numpad1', false],
    ['the numeric keypad with Shift, on systems that still type the digit', '1', 'Numpad1', true],
  ])('reads a typed digit as itself from %s', (_, key, code, shiftKey) => {
    const { registry, ran } = registryOf({ 'shift+1': 'tree', '1': 'tab' })
    registry.handle(press(key, { code, shiftKey }))
    expect(ran).toEqual(['tab'])
  })

  it.each([
    ['the first row of a French keyboard', '&', 'Digit1', false],
    ['the numeric keypad with Shift, where that moves the cursor', 'End', 'Numpad1', true],
  ])('reads no digit from %s', (_, key, code, shiftKey) => {
    const { registry, ran } = registryOf({ 'shift+1': 'tree', '1': 'tab' })
    registry.handle(press(key, { code, shiftKey }))
    expect(ran).toEqual([])
  })

  it('reads the character where no shortcut has the digit', () => {
    const { registry, ran } = registryOf({ '/': 'search', '0': 'whole trace' })
    registry.handle(press('/', { code: 'Digit7', shiftKey: true }))
    registry.handle(press('0', { code: 'Digit0', shiftKey: true }))
    expect(ran).toEqual(['search', 'whole trace'])
  })

  it('runs sequences, and forgets a first key after a while', () => {
    const { registry, ran } = registryOf({ 'g p': 'projects', p: 'playground' })
    registry.handle(press('g'), 0)
    registry.handle(press('p'), 500)
    registry.handle(press('g'), 1000)
    registry.handle(press('p'), 9000)
    expect(ran).toEqual(['projects', 'playground'])
  })

  it('prefers the latest group and returns to the earlier one after its removal', () => {
    const { registry, ran, removers } = registryOf({ j: 'row' }, { j: 'run' })
    registry.handle(press('j'))
    removers[1]!()
    registry.handle(press('j'))
    expect(ran).toEqual(['run', 'row'])
  })

  it('leaves single letters alone when they are switched off', () => {
    const { registry, ran } = registryOf({ j: 'next', 'shift+j': 'next trace', 'mod+k': 'palette', escape: 'close' })
    registry.singleKeys = false
    registry.handle(press('j'))
    registry.handle(press('J', { shiftKey: true }))
    registry.handle(press('k', { ctrlKey: true }))
    registry.handle(press('Escape'))
    expect(ran).toEqual(['palette', 'close'])
  })

  it('leaves text keys to text fields', () => {
    const { registry, ran } = registryOf({ j: 'next', 'mod+a': 'select all', 'mod+k': 'palette', f6: 'pane' })
    const field = { closest: (selector: string) => (selector.startsWith('input') ? field : null) }
    const target = field as unknown as EventTarget
    registry.handle(press('j', { target }))
    registry.handle(press('a', { ctrlKey: true, target }))
    registry.handle(press('k', { ctrlKey: true, target }))
    registry.handle(press('F6', { target }))
    registry.handle(press('a', { ctrlKey: true }))
    expect(ran).toEqual(['palette', 'pane', 'select all'])
  })

  it('formats keys for display', () => {
    expect(showKeys('g p')).toEqual(['g', 'p'])
    expect(showKeys('shift+j')).toEqual(['J'])
    expect(showKeys('shift+1')).toEqual(['⇧1'])
    expect(showKeys('mod+enter')).toEqual(['Ctrl', 'Enter'])
  })
})

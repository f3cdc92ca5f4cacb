import { useState } from 'react'
import { type JsonHost, rememberFold } from '#lib/json/json-host.ts'
import { printJsonPath, printPath } from '#lib/json/json-path.ts'
import type { JsonRow } from '#lib/json/json-rows.ts'
import { findRowAction } from './json-selection.ts'
import type { Outline } from './use-outline.ts'
import { type MarkedValue, type PickedValue, useMarkedValue } from './value-actions.ts'

/** A dialog about a value. */
export type JsonLayer =
  | { what: 'media'; mime: string; value: PickedValue }
  | { what: 'diff'; a: MarkedValue; b: MarkedValue }

export interface JsonRowActionsOptions {
  host: JsonHost
  outline: Outline
  getRow: (row: number) => JsonRow | undefined
  foldKey: string | undefined
}

export type JsonRowActions = ReturnType<typeof useJsonRowActions>

/** The user's actions on single rows: open, show media, compare, menu. */
export function useJsonRowActions({ host, outline, getRow, foldKey }: JsonRowActionsOptions) {
  const [menuRow, setMenuRow] = useState<number>()
  const [picked, setPicked] = useState<PickedValue>()
  const [layer, setLayer] = useState<JsonLayer>()
  const marked = useMarkedValue()

  async function readValue(row: number): Promise<PickedValue | undefined> {
    const shown = getRow(row)
    if (!shown) return undefined
    const path = await host.call('pathOf', row)
    return { path, kind: shown.kind, preview: shown.text, text: () => host.call('valueText', row) }
  }
  async function showMedia(row: number) {
    const mime = getRow(row)?.media
    const value = await readValue(row)
    if (value && mime !== undefined) setLayer({ what: 'media', mime, value })
  }
  async function toggle(row: number, withSiblings = false) {
    const shown = getRow(row)
    const action = findRowAction(shown)
    if (action === 'showMedia') await showMedia(row)
    else if (action === 'showWhole') await outline.change(() => host.call('showWhole', row))
    else if (action === 'toggle') {
      await outline.change(() => host.call('toggle', row, withSiblings))
      if (foldKey !== undefined) rememberFold(foldKey, printPath(await host.call('pathOf', row)), !shown?.open)
    }
  }
  return {
    menuRow,
    picked,
    layer,
    toggle,
    showMedia,
    toggleJson: (row: number) => outline.change(() => host.call('toggleJson', row)),
    withValue: (row: number, act: (value: PickedValue) => unknown) =>
      void readValue(row).then((value) => value && act(value)),
    async openMenu(row: number) {
      setPicked(undefined)
      setMenuRow(row)
      setPicked(await readValue(row))
    },
    closeMenu: () => setMenuRow(undefined),
    closeLayer: () => setLayer(undefined),
    /** Compares a value with the marked one. */
    async compare(value: PickedValue) {
      const b = { path: printJsonPath(value.path), kind: value.kind, text: await value.text() }
      if (marked) setLayer({ what: 'diff', a: marked, b })
    },
  }
}

import { Braces, ClipboardCopy, Diff, Ellipsis, FileImage, Flag, Link as LinkIcon, Route, Text } from 'lucide-react'
import { use } from 'react'
import { type JsonPath, printJsonPath, printPath, printPythonPath } from '#lib/json/json-path.ts'
import type { JsonRow } from '#lib/json/json-rows.ts'
import { IconButton } from '#ui/button.tsx'
import { copyText } from '#ui/copy-button.tsx'
import { Menu, MenuItem, MenuLine } from '#ui/menu.tsx'
import { toast } from '#ui/toast.tsx'
import { markValue, type PickedValue, useMarkedValue, ValueActions } from './value-actions.ts'

export interface JsonRowMenuProps {
  row: JsonRow
  /** Undefined until its path is known. */
  picked: PickedValue | undefined
  open: boolean
  onOpenChange: (open: boolean) => void
  /** Whether the address of the page holds the path of a value. */
  hasLinks: boolean
  onJson: () => void
  onMedia: () => void
  onCompare: () => void
}

/** What one may do with a value of a document. */
export function JsonRowMenu(props: JsonRowMenuProps) {
  const { picked, open, onOpenChange } = props
  return (
    // The row hears presses too.
    // biome-ignore lint/a11y/noStaticElementInteractions: it only keeps presses to itself
    // biome-ignore lint/a11y/useKeyWithClickEvents: it only keeps presses to itself
    <span className="flex" onClick={(event) => event.stopPropagation()}>
      <Menu
        align="end"
        open={open}
        onOpenChange={onOpenChange}
        trigger={<IconButton icon={Ellipsis} label="Actions on the value" keys="." tabIndex={-1} className="size-5" />}
      >
        {picked && <Items {...props} picked={picked} />}
      </Menu>
    </span>
  )
}

function Items({ row, picked, hasLinks, onJson, onMedia, onCompare }: JsonRowMenuProps & { picked: PickedValue }) {
  const actions = use(ValueActions)(picked)
  const marked = useMarkedValue()
  const { path } = picked
  return (
    <>
      {row.json && (
        <MenuItem icon={icon(row.json === 'open' ? Text : Braces)} onSelect={onJson}>
          {row.json === 'open' ? 'Show as text' : 'Open as JSON'}
        </MenuItem>
      )}
      {row.media && (
        <MenuItem icon={icon(FileImage)} onSelect={onMedia}>
          Show {row.media}
        </MenuItem>
      )}
      {actions.map(({ label, icon: Icon, act }) => (
        <MenuItem key={label} icon={icon(Icon)} onSelect={() => void act()}>
          {label}
        </MenuItem>
      ))}
      {(row.json || row.media || actions.length > 0) && <MenuLine />}
      <MenuItem icon={icon(ClipboardCopy)} keys="mod+c" onSelect={() => void copyValue(picked)}>
        Copy value
      </MenuItem>
      <MenuItem icon={icon(Route)} keys="mod+shift+c" onSelect={() => void copyPath(path)}>
        Copy JSONPath
      </MenuItem>
      <MenuItem icon={icon(Route)} onSelect={() => void copy(printPythonPath(path), 'Path copied')}>
        Copy path for Python
      </MenuItem>
      {hasLinks && (
        <MenuItem icon={icon(LinkIcon)} onSelect={() => void copy(linkTo(path), 'Link copied')}>
          Copy link to the value
        </MenuItem>
      )}
      <MenuLine />
      <MenuItem icon={icon(Flag)} onSelect={() => void mark(picked)}>
        Mark as A
      </MenuItem>
      {marked && (
        <MenuItem icon={icon(Diff)} onSelect={onCompare}>
          Compare with A
        </MenuItem>
      )}
    </>
  )
}

export async function copyValue({ text }: PickedValue) {
  await copy(await text(), 'Value copied')
}

export async function copyPath(path: JsonPath) {
  await copy(printJsonPath(path), 'Path copied')
}

async function copy(text: string, done: string) {
  if (await copyText(text)) toast.done(done)
}

async function mark({ path, kind, text }: PickedValue) {
  markValue({ path: printJsonPath(path), kind, text: await text() })
  toast.done('Marked as A')
}

function linkTo(path: JsonPath): string {
  const url = new URL(location.href)
  url.searchParams.set('path', printPath(path))
  return url.href
}

function icon(Icon: typeof Text) {
  return <Icon size={14} aria-hidden />
}

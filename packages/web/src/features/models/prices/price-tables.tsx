import type { ModelPrice, UnpricedModel } from '@touchstone/sdk'
import { ChevronRight, Ellipsis } from 'lucide-react'
import { Fragment, type ReactNode, useState } from 'react'
import { cx } from '#lib/browser.ts'
import { formatCount, formatRelativeTime, formatTokenPair, pluralize } from '#lib/format.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { NARROW, useMedia } from '#ui/hooks.tsx'
import { Menu, MenuItem } from '#ui/menu.tsx'
import {
  type AlignedPrice,
  alignPrices,
  describePrice,
  listOtherPrices,
  type PricedModel,
  type PriceFamily,
  splitSource,
} from './model-prices.ts'

interface PriceActions {
  onEdit: (price: ModelPrice) => void
  onReprice: (price: ModelPrice) => void
  onDelete: (price: ModelPrice) => void
}

export interface PriceTableProps {
  /** Accessible name of the table. */
  label: string
  families: readonly PriceFamily[]
  /** Whether the families have headings. */
  hasHeadings?: boolean
  /** How many models of a family are shown before it is unfolded. @default all */
  familyLimit?: number
  /** Without them, the table is read-only. */
  actions?: PriceActions | undefined
}

/** Prices in US dollars per million tokens, a row per model. Models with several prices unfold. */
export function PriceTable({ label, families, hasHeadings = false, familyLimit, actions }: PriceTableProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [whole, setWhole] = useState<ReadonlySet<string>>(new Set())
  const shown = families.map(({ name, models }) => ({
    name,
    count: models.length,
    models: familyLimit === undefined || whole.has(name) ? models : models.slice(0, familyLimit),
  }))
  const prices = shown.flatMap(({ models }) => models.flatMap((model) => model.prices))
  const hasCached = !useMedia(NARROW)
  const cells = alignCells(prices, hasCached)
  const columns = 3 + Number(hasCached) + Number(actions !== undefined)
  function toggle(id: string) {
    const next = new Set(open)
    if (!next.delete(id)) next.add(id)
    setOpen(next)
  }
  return (
    <table aria-label={label} className="w-full table-fixed text-left text-row">
      <colgroup>
        <col />
        <col className="w-20 sm:w-24" />
        {hasCached && <col className="w-24" />}
        <col className="w-20 sm:w-24" />
        {actions && <col className="w-10" />}
      </colgroup>
      <thead className="text-meta text-fg-subtle">
        <tr className="h-7">
          <th scope="col" className="px-3 font-normal">
            Model
          </th>
          <th scope="col" className="num px-2 font-normal">
            Input
          </th>
          {hasCached && (
            <th scope="col" className="num px-2 font-normal">
              Cached input
            </th>
          )}
          <th scope="col" className="num px-2 font-normal">
            Output
          </th>
          {actions && (
            <th scope="col">
              <span className="sr-only">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      {shown.map(({ name, count, models }) => (
        <tbody key={name}>
          {hasHeadings && (
            <tr className="border-t border-border bg-sunken">
              <th scope="rowgroup" colSpan={columns} className="h-7 px-3 font-medium text-fg-muted">
                {name} <span className="font-normal text-fg-subtle">{count}</span>
              </th>
            </tr>
          )}
          {models.map((model) => {
            const [first, ...others] = model.prices
            const isOpen = open.has(first.id)
            return (
              <Fragment key={first.id}>
                <PriceRow price={first} cells={cells.get(first.id)} actions={actions}>
                  <ModelName model={model} isOpen={isOpen} onToggle={() => toggle(first.id)} />
                </PriceRow>
                {isOpen && <OtherClasses price={first} when={describePrice(first, model)} columns={columns} />}
                {isOpen &&
                  others.map((price) => (
                    <Fragment key={price.id}>
                      <PriceRow price={price} cells={cells.get(price.id)} actions={actions} isInner>
                        <span className="block truncate pl-5 text-fg-muted" title={describePrice(price, model)}>
                          {describePrice(price, model)}
                        </span>
                      </PriceRow>
                      <OtherClasses price={price} columns={columns} />
                    </Fragment>
                  ))}
              </Fragment>
            )
          })}
          {models.length < count && (
            <tr className="border-t border-border">
              <td colSpan={columns} className="px-3 py-1">
                <Button onClick={() => setWhole(new Set([...whole, name]))}>
                  Show all {formatCount(count)} models of {name}
                </Button>
              </td>
            </tr>
          )}
        </tbody>
      ))}
    </table>
  )
}

type Cells = readonly (AlignedPrice | null)[]

/** Input, cached input and output of each price by its id. */
function alignCells(prices: readonly ModelPrice[], hasCached: boolean): ReadonlyMap<string, Cells> {
  const columns = [
    alignPrices(prices.map((price) => price.prompt_cost)),
    ...(hasCached ? [alignPrices(prices.map((price) => price.prompt_cost_details?.cache_read))] : []),
    alignPrices(prices.map((price) => price.completion_cost)),
  ]
  return new Map(prices.map(({ id }, row) => [id, columns.map((column) => column[row] ?? null)]))
}

interface ModelNameProps {
  model: PricedModel
  isOpen: boolean
  /** Unfolds the other prices, where they were read and since when they are valid. */
  onToggle: () => void
}

function ModelName({ model: { name, provider, prices }, isOpen, onToggle }: ModelNameProps) {
  const label = (
    <>
      <span className="truncate font-medium" title={name}>
        {name}
      </span>
      {provider && <span className="shrink-0 text-fg-muted">({provider})</span>}
      {prices.length > 1 && <span className="shrink-0 text-meta text-fg-subtle">{prices.length} prices</span>}
    </>
  )
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onToggle}
      className="flex h-7 w-full min-w-0 items-center gap-1.5 rounded-control text-left hover:bg-hover coarse:h-10"
    >
      <ChevronRight size={14} aria-hidden className={cx('shrink-0 text-fg-subtle', isOpen && 'rotate-90')} />
      {label}
    </button>
  )
}

interface PriceRowProps {
  price: ModelPrice
  cells: Cells | undefined
  actions: PriceActions | undefined
  /** Whether it is below the row of its model. */
  isInner?: boolean
  /** The name of the row. */
  children: ReactNode
}

function PriceRow({ price, cells = [], actions, isInner = false, children }: PriceRowProps) {
  return (
    <tr className={cx('h-8 border-t border-border hover:bg-hover', isInner && 'bg-sunken')}>
      <th scope="row" className="px-3 font-normal">
        {children}
      </th>
      {cells.map((cell, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the columns never change
        <td key={column} className="num px-2">
          {cell?.text}
          {cell?.padding && (
            <span aria-hidden className="invisible">
              {cell.padding}
            </span>
          )}
        </td>
      ))}
      {actions && (
        <td className="px-1.5 text-right">
          <Menu
            align="end"
            trigger={
              <IconButton
                icon={Ellipsis}
                label={`Actions for ${price.name}${price.provider ? ` (${price.provider})` : ''}`}
              />
            }
          >
            <MenuItem onSelect={() => actions.onEdit(price)}>{price.built_in ? 'Override…' : 'Edit…'}</MenuItem>
            <MenuItem onSelect={() => actions.onReprice(price)}>Price stored runs…</MenuItem>
            <MenuItem danger onSelect={() => actions.onDelete(price)}>
              {price.built_in ? 'Hide…' : 'Delete…'}
            </MenuItem>
          </Menu>
        </td>
      )}
    </tr>
  )
}

interface OtherClassesProps {
  price: ModelPrice
  /** When it is valid, unless the row above has it. */
  when?: string
  columns: number
}

/** The prices without a column, and where the price was read. */
function OtherClasses({ price, when, columns }: OtherClassesProps) {
  const texts = [when, ...listOtherPrices(price)].filter((text) => text !== undefined)
  const source = price.source === null ? undefined : splitSource(price.source)
  return (
    <tr className="bg-sunken">
      <td colSpan={columns} className="px-3 pb-1.5 pl-8 text-fg-muted">
        {texts.join(' · ')}
        {source === undefined ? (
          <span className="block">Source: {price.built_in ? 'built in' : 'entered in this workspace'}</span>
        ) : (
          <span className="block break-words">
            Source: built in,{' '}
            {source.url && (
              <a href={source.url} target="_blank" rel="noopener noreferrer" className="text-accent underline">
                {source.url.replace('https://', '')}
              </a>
            )}
            {source.text}
          </span>
        )}
      </td>
    </tr>
  )
}

interface UnpricedModelsProps {
  models: readonly UnpricedModel[]
  hasMore: boolean
  onAdd: (model: UnpricedModel) => void
  onReprice: (model: UnpricedModel) => void
}

/** Models of the last 30 days without a price, each with a button to add one. */
export function UnpricedModels({ models, hasMore, onAdd, onReprice }: UnpricedModelsProps) {
  return (
    <section aria-labelledby="unpriced" className="rounded-card border border-border bg-surface">
      <h2 id="unpriced" className="px-4 pt-3 text-form font-semibold">
        Models without a price
      </h2>
      <p className="px-4 pb-2 text-row text-fg-muted">
        Seen in the last 30 days. Their runs have no known cost until you add a price and price them again.
      </p>
      <ul className="border-t border-border text-row">
        {models.map((one) => (
          <li
            key={`${one.model} ${one.provider}`}
            className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1 border-b border-border px-4 py-1 last:border-b-0"
          >
            <span className="min-w-48 flex-1 break-all font-mono font-medium">
              {one.model}
              {one.provider && <span className="font-sans font-normal text-fg-muted"> ({one.provider})</span>}
            </span>
            <span className="num">{pluralize(one.run_count, 'run')}</span>
            <span className="num text-fg-muted">
              {formatTokenPair(one.prompt_tokens, one.completion_tokens)} tokens
            </span>
            <span className="text-fg-muted">{formatRelativeTime(one.last_seen_at).replace(/\.\d{3}$/, '')}</span>
            <span className="ml-auto flex items-center gap-x-4">
              {one.price_now && <span className="text-ok">Priced as {one.price_now.name}</span>}
              {one.price_now ? (
                <Button onClick={() => onReprice(one)} aria-label={`Price stored runs of ${one.model}`}>
                  Price stored runs
                </Button>
              ) : (
                <Button onClick={() => onAdd(one)} aria-label={`Add price for ${one.model}`}>
                  Add price
                </Button>
              )}
            </span>
          </li>
        ))}
      </ul>
      {hasMore && (
        <p className="border-t border-border px-4 py-2 text-row text-fg-muted">
          Showing the {models.length} models with the most runs.
        </p>
      )}
    </section>
  )
}

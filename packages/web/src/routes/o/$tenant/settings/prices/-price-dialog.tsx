import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { modelPriceMutation } from '#data/model-prices.ts'
import { describeFailure, parseRefusal } from '#lib/errors.ts'
import { FormDialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/field.tsx'
import { toast } from '#ui/toast.tsx'
import { type PriceDraft, toPrice, validatePriceDraft } from './-price-draft.ts'

export interface PriceDialogProps {
  start: PriceDraft
  /** The price to replace; without it, a new one is created. */
  replaces?: { id: string; isBuiltIn: boolean } | undefined
  onClose: () => void
}

/** Form field by wire field. */
const WIRE_FIELDS: Partial<Record<string, keyof PriceDraft>> = {
  name: 'name',
  match_pattern: 'pattern',
  provider: 'provider',
  start_time: 'since',
  prompt_cost: 'input',
  completion_cost: 'output',
}

/** Edits a custom price: match pattern, start date and dollars per million tokens. */
export function PriceDialog({ start, replaces, onClose }: PriceDialogProps) {
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState(start)
  const [tried, setTried] = useState(false)
  const create = useMutation(modelPriceMutation.create(queryClient))
  const update = useMutation(modelPriceMutation.update(queryClient))
  const save = replaces ? update : create
  const own = validatePriceDraft(draft)
  const wrong = { ...toFieldErrors(save.error), ...(tried && own) }

  function edit(change: Partial<PriceDraft>) {
    setDraft((before) => ({ ...before, ...change }))
    save.reset()
  }
  function submit() {
    setTried(true)
    if (Object.keys(own).length > 0) return
    const price = toPrice(draft)
    const done = {
      onSuccess: () => {
        onClose()
        toast.done(`Saved ${price.name}. New runs use this price.`)
      },
    }
    if (replaces) update.mutate({ id: replaces.id, price }, done)
    else create.mutate(price, done)
  }
  const text = (
    field: keyof PriceDraft,
    label: string,
    more: { hint?: string; mono?: boolean; type?: string } = {},
  ) => (
    <TextField
      label={label}
      hint={more.hint}
      error={wrong[field]}
      type={more.type ?? 'text'}
      value={String(draft[field] ?? '')}
      spellCheck={false}
      autoComplete="off"
      onChange={(typed) => edit({ [field]: typed })}
      isCode={more.mono}
    />
  )
  const price = (field: keyof PriceDraft, label: string, hint?: string) => (
    <TextField
      label={label}
      hint={hint}
      error={wrong[field]}
      value={String(draft[field] ?? '')}
      onChange={(typed) => edit({ [field]: typed })}
      isNumber
    />
  )
  const kept = [...Object.keys(draft.otherInput), ...Object.keys(draft.otherOutput)]

  return (
    <FormDialog
      title={replaces ? `Edit price of ${start.name}` : 'New price'}
      description={
        replaces?.isBuiltIn
          ? 'This price is built in. Your version applies to this workspace.'
          : 'Applies to new runs. Recorded costs do not change.'
      }
      width="max-w-lg"
      action={replaces ? 'Save' : 'Add price'}
      errorTitle="Could not save the price"
      isPending={save.isPending}
      error={Object.keys(toFieldErrors(save.error)).length === 0 ? save.error : undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      {text('pattern', 'Match pattern', {
        mono: true,
        hint: 'Regular expression for the model name, case-insensitive',
      })}
      {text('name', 'Name', { hint: 'Defaults to the pattern' })}
      <div className="grid grid-cols-2 gap-3">
        {text('provider', 'Provider', { hint: 'Leave empty for any' })}
        {text('since', 'Valid from', { type: 'date', hint: 'Leave empty for always' })}
      </div>
      <fieldset className="mt-1 grid grid-cols-2 gap-3 sm:grid-cols-3">
        <legend className="mb-1.5 text-row font-medium">US dollars per million tokens</legend>
        {price('input', 'Input')}
        {price('cacheRead', 'Cached input', 'Defaults to input')}
        {price('cacheWrite', 'Cache writes', 'Defaults to input')}
        {price('output', 'Output')}
        {price('reasoning', 'Reasoning', 'Defaults to output')}
      </fieldset>
      {kept.length > 0 && <p className="text-row text-fg-muted">Other prices, kept unchanged: {kept.join(', ')}.</p>}
    </FormDialog>
  )
}

function toFieldErrors(error: unknown): Partial<Record<keyof PriceDraft, string>> {
  if (error === null) return {}
  // An invalid regular expression is reported in the message, not as a field error.
  const message = describeFailure(error).message
  if (message.startsWith('match_pattern ')) return { pattern: message.slice('match_pattern '.length) }
  const named = Object.entries(parseRefusal(error)?.fields ?? {}).map(
    ([name, said]) => [WIRE_FIELDS[name], said] as const,
  )
  return Object.fromEntries(named.filter(([field]) => field !== undefined))
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ModelPrice } from '@touchstone/sdk'
import { useState } from 'react'
import { pickFields } from '#lib/changes.ts'
import { describeFailure, parseRefusal } from '#lib/errors.ts'
import { FormDialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/field.tsx'
import { toast } from '#ui/toast.tsx'
import { useEdit } from '#ui/use-edit.tsx'
import { type PriceDraft, toPrice, toPriceDraft, validatePriceDraft } from './price-draft.ts'
import { modelPriceMutation, readModelPrice } from './queries.ts'

export interface PriceDialogProps {
  start: PriceDraft
  /** The price to replace, as it was read; without it, a new one is created. */
  replaces?: ModelPrice | undefined
  onClose: () => void
  onSaved: (price: ModelPrice) => void
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

const LABELS: Record<keyof PriceDraft, string> = {
  name: 'Name',
  pattern: 'Match pattern',
  provider: 'Provider',
  since: 'Valid from',
  input: 'Input',
  cacheRead: 'Cached input',
  cacheWrite: 'Cache writes',
  output: 'Output',
  reasoning: 'Reasoning',
  otherInput: 'Other input prices',
  otherOutput: 'Other output prices',
  path: 'Match path',
}

const PRICE_FIELDS = [
  'name',
  'match_pattern',
  'match_path',
  'provider',
  'start_time',
  'prompt_cost',
  'completion_cost',
  'prompt_cost_details',
  'completion_cost_details',
]

/** Edits a custom price: match pattern, start date and dollars per million tokens. */
export function PriceDialog({ start, replaces, onClose, onSaved }: PriceDialogProps) {
  const queryClient = useQueryClient()
  const [tried, setTried] = useState(false)
  const create = useMutation(modelPriceMutation.create(queryClient))
  const update = useMutation(modelPriceMutation.update(queryClient))
  const edit = useEdit({
    what: 'this price',
    labels: LABELS,
    stored: replaces,
    toDraft: toPriceDraft,
    start,
    read: () => readModelPrice(replaces?.id ?? ''),
    save: async (draft, base) => {
      const price = toPrice(draft)
      // A price is replaced as a whole, so all of it is expected.
      const expected = base && pickFields(base, PRICE_FIELDS)
      const saved = base
        ? await update.mutateAsync({ id: base.id, price: { ...price, expected } })
        : await create.mutateAsync(price)
      onClose()
      toast.done(`Saved ${saved.name}. New runs use this price.`)
      onSaved(saved)
    },
  })
  const draft = edit.value
  const own = validatePriceDraft(draft)
  const refused = toFieldErrors(edit.error)
  const wrong = { ...refused, ...(tried && own) }

  function submit() {
    setTried(true)
    if (Object.keys(own).length === 0) void edit.submit()
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
      onChange={(typed) => edit.set({ [field]: typed })}
      isCode={more.mono}
    />
  )
  const price = (field: keyof PriceDraft, label: string, hint?: string) => (
    <TextField
      label={label}
      hint={hint}
      error={wrong[field]}
      value={String(draft[field] ?? '')}
      onChange={(typed) => edit.set({ [field]: typed })}
      isNumber
    />
  )
  const kept = [...Object.keys(draft.otherInput), ...Object.keys(draft.otherOutput)]

  return (
    <FormDialog
      title={replaces ? `Edit price of ${start.name}` : 'New price'}
      description={
        replaces?.built_in
          ? 'This price is built in. Your version applies to this workspace.'
          : 'Applies to new runs. After you save it, stored runs can be priced again.'
      }
      width="max-w-lg"
      action={replaces ? 'Save' : 'Add price'}
      errorTitle="Could not save the price"
      canSubmit={!edit.isOvertaken}
      isPending={edit.isPending}
      error={Object.keys(refused).length === 0 ? edit.error : undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      {edit.conflict}
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

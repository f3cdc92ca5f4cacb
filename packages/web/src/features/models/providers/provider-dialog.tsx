import { useMutation, useQueryClient } from '@tanstack/react-query'
import { KEY_HEADERS, MODEL_PROVIDER_KIND_NAMES, MODEL_PROVIDER_PRESETS } from '@touchstone/contract/model-presets'
import type { ModelProvider, ModelProviderKind } from '@touchstone/sdk'
import { type ReactNode, useState } from 'react'
import { changesOf } from '#lib/changes.ts'
import { parseRefusal } from '#lib/errors.ts'
import { FormDialog } from '#ui/dialog.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { FormField, TEXT_AREA, TextField } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { toast } from '#ui/toast.tsx'
import { useEdit } from '#ui/use-edit.tsx'
import {
  type DraftErrors,
  losesKey,
  newProviderDraft,
  type ProviderDraft,
  toNames,
  toProvider,
  toProviderDraft,
  toTest,
  validateProviderDraft,
  withKind,
  withPreset,
} from './provider-draft.ts'
import { ProviderTest } from './provider-test.tsx'
import { modelProviderMutation, readModelProvider } from './queries.ts'

const PRESETS = MODEL_PROVIDER_PRESETS.map(({ id, name }) => ({ value: id, label: name }))
const KINDS = Object.entries(MODEL_PROVIDER_KIND_NAMES).map(([value, label]) => ({
  value: value as ModelProviderKind,
  label,
}))
const HEADERS = KEY_HEADERS.map((value) => ({ value, label: value }))

const WIRE_FIELDS: Partial<Record<string, keyof ProviderDraft>> = {
  name: 'name',
  base_url: 'baseUrl',
  key: 'key',
  headers: 'headers',
  models: 'models',
  provider: 'provider',
}

const LABELS: Record<keyof ProviderDraft, string> = {
  preset: 'Provider',
  name: 'Name',
  kind: 'API format',
  baseUrl: 'Base URL',
  key: 'API key',
  keyHeader: 'Header of the key',
  headers: 'Headers',
  provider: 'Name in runs and prices',
  models: 'Models',
}

interface ProviderDialogProps {
  /** The provider to change; without it, a new one is added. */
  provider?: ModelProvider
  onClose: () => void
}

/** Address, key and models of a provider, with a test before it is saved. */
export function ProviderDialog({ provider, onClose }: ProviderDialogProps) {
  const queryClient = useQueryClient()
  const [tried, setTried] = useState(false)
  const create = useMutation(modelProviderMutation.create(queryClient))
  const update = useMutation(modelProviderMutation.update(queryClient))
  // The target that the user has seen: a key or a header is not sent to another one unseen.
  const [seen, setSeen] = useState(provider)
  const edit = useEdit({
    what: 'this provider',
    labels: LABELS,
    print: { kind: (kind) => MODEL_PROVIDER_KIND_NAMES[kind] },
    stored: provider,
    toDraft: toProviderDraft,
    start: newProviderDraft(),
    read: () => readModelProvider(provider?.id ?? ''),
    save: async (draft, base) => {
      const body = toProvider(draft)
      if (base === undefined) await create.mutateAsync(body)
      else {
        const { changes, expected } = changesOf(body, toProvider(toProviderDraft(base)), base)
        const { base_url, kind } = base
        const givesSecret = 'key' in changes || 'headers' in changes
        if (givesSecret && (base_url !== seen?.base_url || kind !== seen.kind)) {
          setSeen(base)
          throw new Error('The address or format was changed elsewhere meanwhile. Check it, then save again.')
        }
        const target = givesSecret ? { base_url, kind } : {}
        // Another format without a header would get the usual one.
        const header = 'kind' in changes ? { key_header: body.key_header } : {}
        await update.mutateAsync({ id: base.id, ...changes, ...header, expected: { ...expected, ...target } })
      }
      toast.done(base ? `Saved ${body.name}` : `Added ${body.name}`)
      onClose()
    },
  })
  const draft = edit.value
  const own = validateProviderDraft(draft)
  const refused = toFieldErrors(edit.error)
  const errors: DraftErrors = { ...refused, ...(tried && own) }
  function submit() {
    setTried(true)
    if (Object.keys(own).length === 0) void edit.submit()
  }
  return (
    <FormDialog
      title={provider ? `Edit ${provider.name}` : 'Add provider'}
      width="max-w-xl"
      action={provider ? 'Save' : 'Add provider'}
      errorTitle="Could not save the provider"
      canSubmit={!edit.isOvertaken}
      isPending={edit.isPending}
      error={Object.keys(refused).length === 0 ? edit.error : undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      {edit.conflict}
      {provider === undefined && (
        <FormField label="Provider">
          {(props) => (
            <Select
              {...props}
              options={PRESETS}
              value={draft.preset}
              onChange={(id) => edit.set(withPreset(draft, id))}
            />
          )}
        </FormField>
      )}
      <Fields draft={draft} errors={errors} provider={edit.base} onChange={edit.set} />
      <section aria-label="Test" className="border-t border-border pt-3">
        <ProviderTest
          toTest={(model) => toTest(draft, provider?.id, model)}
          models={toNames(draft.models)}
          disabledBecause={own.baseUrl ?? own.headers ?? own.key}
        />
      </section>
    </FormDialog>
  )
}

interface FieldsProps {
  draft: ProviderDraft
  errors: DraftErrors
  provider: ModelProvider | undefined
  onChange: (draft: ProviderDraft) => void
}

function Fields({ draft, errors, provider, onChange }: FieldsProps) {
  const text = (field: 'name' | 'baseUrl' | 'provider', label: string, hint?: ReactNode) => (
    <TextField
      label={label}
      hint={hint}
      error={errors[field]}
      value={draft[field]}
      isCode={field !== 'name'}
      autoComplete="off"
      onChange={(value) => onChange({ ...draft, [field]: value })}
    />
  )
  const lines = (field: 'headers' | 'models', label: string, hint: string) => (
    <FormField label={label} hint={hint} error={errors[field]}>
      {(props) => (
        <textarea
          {...props}
          rows={3}
          dir="ltr"
          spellCheck={false}
          autoComplete="off"
          className={`${TEXT_AREA} font-mono`}
          value={draft[field]}
          onChange={(event) => onChange({ ...draft, [field]: event.target.value })}
        />
      )}
    </FormField>
  )
  const hasAdvanced = draft.preset === 'custom' || errors.headers !== undefined || errors.models !== undefined
  return (
    <>
      {text('name', 'Name')}
      {text('baseUrl', 'Base URL')}
      <TextField
        label="API key"
        type="password"
        isCode
        autoComplete="off"
        placeholder={toKeyPlaceholder(provider)}
        value={draft.key}
        error={errors.key}
        hint={<KeyHint draft={draft} provider={provider} />}
        onChange={(key) => onChange({ ...draft, key })}
      />
      <Disclosure key={String(hasAdvanced)} summary="Format, headers and models" startsOpen={hasAdvanced}>
        <div className="flex flex-col gap-3 pt-2">
          <div className="grid gap-3 sm:grid-cols-2">
            <FormField label="API format">
              {(props) => (
                <Select
                  {...props}
                  options={KINDS}
                  value={draft.kind}
                  onChange={(kind) => onChange(withKind(draft, kind))}
                />
              )}
            </FormField>
            <FormField label="Header of the key">
              {(props) => (
                <Select
                  {...props}
                  options={HEADERS}
                  value={draft.keyHeader}
                  onChange={(keyHeader) => onChange({ ...draft, keyHeader })}
                />
              )}
            </FormField>
          </div>
          {lines('headers', 'Headers', 'One per line, as name: value. Stored encrypted and shown as ********.')}
          {lines('models', 'Models', 'One per line, if the provider does not list them.')}
          {text('provider', 'Name in runs and prices', 'The ls_provider of runs, for example openai.')}
        </div>
      </Disclosure>
    </>
  )
}

function KeyHint({ draft, provider }: { draft: ProviderDraft; provider: ModelProvider | undefined }) {
  if (losesKey(provider, draft)) {
    return (
      <span role="status" className="text-warn">
        The stored key was entered for another address, format or header. It is removed unless you enter it again.
      </span>
    )
  }
  if (provider?.key_readable === false) return 'The stored key cannot be read by this server. Enter it again.'
  const preset = MODEL_PROVIDER_PRESETS.find(({ id }) => id === draft.preset)
  if (provider === undefined && preset?.needsKey === false) return 'Leave empty if the provider needs none.'
  return 'Stored encrypted, and never shown again.'
}

function toKeyPlaceholder(provider: ModelProvider | undefined): string {
  if (provider?.key_set !== true) return ''
  return provider.key_last_four === null ? 'Unchanged' : `Unchanged, ends in ${provider.key_last_four}`
}

function toFieldErrors(error: unknown): DraftErrors {
  if (error === null) return {}
  const named = Object.entries(parseRefusal(error)?.fields ?? {}).map(
    ([name, message]) => [WIRE_FIELDS[name], message] as const,
  )
  return Object.fromEntries(named.filter(([field]) => field !== undefined))
}

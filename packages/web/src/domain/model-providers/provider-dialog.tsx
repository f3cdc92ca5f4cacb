import { useMutation, useQueryClient } from '@tanstack/react-query'
import { KEY_HEADERS, MODEL_PROVIDER_KIND_NAMES, MODEL_PROVIDER_PRESETS } from '@touchstone/contract/model-presets'
import type { ModelProvider, ModelProviderKind } from '@touchstone/sdk'
import { type ReactNode, useState } from 'react'
import { modelProviderMutation } from '#data/model-providers.ts'
import { parseRefusal } from '#lib/errors.ts'
import { FormDialog } from '#ui/dialog.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { FormField, TEXT_AREA, TextField } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { toast } from '#ui/toast.tsx'
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

interface ProviderDialogProps {
  /** The provider to change; without it, a new one is added. */
  provider?: ModelProvider
  onClose: () => void
}

/** Address, key and models of a provider, with a test before it is saved. */
export function ProviderDialog({ provider, onClose }: ProviderDialogProps) {
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState(provider ? toProviderDraft(provider) : newProviderDraft())
  const [tried, setTried] = useState(false)
  const create = useMutation(modelProviderMutation.create(queryClient))
  const update = useMutation(modelProviderMutation.update(queryClient))
  const save = provider ? update : create
  const own = validateProviderDraft(draft)
  const refused = toFieldErrors(save.error)
  const errors: DraftErrors = { ...refused, ...(tried && own) }
  const change = (next: ProviderDraft) => {
    setDraft(next)
    save.reset()
  }
  function submit() {
    setTried(true)
    if (Object.keys(own).length > 0) return
    const body = toProvider(draft)
    const onSuccess = () => {
      toast.done(provider ? `Saved ${body.name}` : `Added ${body.name}`)
      onClose()
    }
    if (provider) update.mutate({ id: provider.id, ...body }, { onSuccess })
    else create.mutate(body, { onSuccess })
  }
  return (
    <FormDialog
      title={provider ? `Edit ${provider.name}` : 'Add provider'}
      width="max-w-xl"
      action={provider ? 'Save' : 'Add provider'}
      errorTitle="Could not save the provider"
      isPending={save.isPending}
      error={Object.keys(refused).length === 0 ? save.error : undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      {provider === undefined && (
        <FormField label="Provider">
          {(props) => (
            <Select
              {...props}
              options={PRESETS}
              value={draft.preset}
              onChange={(id) => change(withPreset(draft, id))}
            />
          )}
        </FormField>
      )}
      <Fields draft={draft} errors={errors} provider={provider} onChange={change} />
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

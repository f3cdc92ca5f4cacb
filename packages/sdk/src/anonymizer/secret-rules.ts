import { type AnonymizerOptions, createAnonymizer, type StringNodeRule } from './create-anonymizer.ts'

export const SECRET_PLACEHOLDER = '[SECRET_DETECTED]'

const hide = (pattern: RegExp, replace = SECRET_PLACEHOLDER): StringNodeRule => ({ type: 'pattern', pattern, replace })

/** Names whose value is a secret, with words before them: `OPENAI_API_KEY`, `db-password`. */
const SENSITIVE_NAME =
  '[\\w-]{0,40}?(?:api[_-]?key|secret|token|password|passwd|private[_-]?key|access[_-]?key|client[_-]?secret)'

/**
 * Replaces secrets by their form: keys of providers, tokens of platforms, JSON web tokens, private keys, and values that are
 * assigned to sensitive names. Names and separators stay. Every pattern takes a time that is linear in the text.
 */
export const DEFAULT_SECRET_RULES: StringNodeRule[] = [
  hide(/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g),
  // Touchstone and LangSmith.
  hide(/\bts_[A-Za-z0-9]{40}\b/g),
  hide(/\bls(?:v2_[a-z]{2}_[A-Za-z0-9]{16,}(?:_[A-Za-z0-9]+)?|__[A-Za-z0-9]{16,})/g),
  // Providers of models. `sk-` alone is OpenAI's.
  hide(/\bsk-[A-Za-z0-9_-]{16,}/g),
  hide(/\bAIza[A-Za-z0-9_-]{35}/g),
  hide(/\b(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,}/g),
  hide(/\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g),
  // Platforms.
  hide(/\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})/g),
  hide(/\bglpat-[A-Za-z0-9_-]{20,}/g),
  hide(/\b(?:xox[abeprs]|xapp)-[A-Za-z0-9-]{10,}/g),
  hide(/(\bhttps:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9/_-]+/g, `$1${SECRET_PLACEHOLDER}`),
  hide(/\b(?:(?:sk|rk|pk)_(?:live|test)|whsec)_[A-Za-z0-9]{16,}/g),
  hide(/\bnpm_[A-Za-z0-9]{36}/g),
  hide(/\bpypi-[A-Za-z0-9_-]{16,}/g),
  hide(/\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g),
  hide(/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g),
  // What stands behind a name, a scheme or a user.
  hide(
    /\b((?:proxy-)?authorization|x-api-key|(?:set-)?cookie)(["']?\s{0,3}[:=]\s{0,3}["']?)(?:(?:Bearer|Basic|Token)\s+)?[^\s"',;]{6,}/gi,
    `$1$2${SECRET_PLACEHOLDER}`,
  ),
  hide(/\b(Bearer\s{1,3})[A-Za-z0-9._~+/=-]{8,}/gi, `$1${SECRET_PLACEHOLDER}`),
  hide(
    new RegExp(`\\b(${SENSITIVE_NAME})(["']?\\s{0,3}[:=]\\s{0,3}["']?)[^\\s"',;&}]{6,}`, 'gi'),
    `$1$2${SECRET_PLACEHOLDER}`,
  ),
  hide(/\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{1,200}:)[^\s@/]{1,200}(?=@)/gi, `$1${SECRET_PLACEHOLDER}`),
]

/**
 * An anonymizer that replaces secrets by `[SECRET_DETECTED]`.
 *
 * @param options.extraRules  applied after the rules for secrets
 * @param options.maxDepth    see `createAnonymizer`. @default 24
 * @example new Client({ anonymizer: createSecretAnonymizer() })
 */
export function createSecretAnonymizer({
  extraRules = [],
  maxDepth = 24,
}: AnonymizerOptions & { extraRules?: StringNodeRule[] } = {}): <Value>(data: Value) => Value {
  return createAnonymizer([...DEFAULT_SECRET_RULES, ...extraRules], { maxDepth })
}

import { writeFileSync } from 'node:fs'
import { printGuide } from '../src/features/onboarding/quickstarts/guide.ts'

writeFileSync(new URL('../../../docs/guides/first-trace.md', import.meta.url), printGuide())

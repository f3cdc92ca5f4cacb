#!/usr/bin/env node
// Stands here rather than in dist so that npm can link it before anything is built.
import '../dist/main.js'

// The system that the programs of the Swift matrix run on: it calls them, and records the stack when they die.
#pragma once
#include <stdint.h>

/// Registers an action under a name; `pier_run` runs each in a process of its own.
void pier_register(const char *name, void (*action)(void));
/// Runs all actions and prints for each that died one line: name, signal, then module and offset of each frame, innermost first.
int pier_run(void);
/// The number that was given, in a way that no optimiser sees through.
intptr_t pier_number(intptr_t value);
/// Uses a result.
void pier_sink(intptr_t value);
/// Waits for other threads to die.
void pier_wait(void);

/// The text of the default rules for consoles of Linux kernels, with tests: how a kernel reports itself, waits, and is entered.
///
/// Every pattern names the kernel's image, so that no app is touched: many of these names are ordinary words. Modules need no
/// rules, since all of this is built into the kernel itself. Names stand in regular expressions, one for each subject: the
/// image is compared first, so a frame of any other image pays for none.
extension Rules {
  static let linuxKernel = """

    # The Linux kernel. How it reports itself: whatever such a function calls came after the event.
    reporter H80 image=vmlinux* name=re:^_*(dump_stack(_lvl|_print_info)?|show_(stack|regs|trace_log_lvl)|dump_backtrace|sched_show_task|dump_cpu_task)$
    reporter H81 image=vmlinux* name=re:^(fail_dump|should_fail(_ex|_alloc_page)?|__should_fail(slab|_alloc_page)|should_failslab)$
    # its sanitizers, and the checks of locks, of objects and of preemption,
    reporter H82 image=vmlinux* name=re:^_*(kasan|kmsan|kcsan|kfence|ubsan)_|^_*(asan|msan|tsan|ubsan|hwasan)_(report|warning|handle)
    reporter H83 image=vmlinux* name=re:^(print_(address_description|report|circular_bug|deadlock_bug|usage_bug|irq_inversion_bug|bad_irq_dependency|unlock_imbalance_bug|lock_.*_bug|freed_lock_bug)|lockdep_rcu_suspicious|end_report)
    reporter H84 image=vmlinux* name=re:^(check_(prev_add|prevs_add|noncircular|deadlock|usage|irq_usage)|validate_chain|mark_lock(_irq)?|debug_check_no_locks_(freed|held))$
    reporter H85 image=vmlinux* name=re:^(debug_print_object|__?debug_check_no_obj_freed|debug_object_.*|spin_(dump|bug)|rwlock_bug|object_err|slab_err|slab_bug|print_trailer)$
    reporter H86 image=vmlinux* name=re:^(check_preemption_disabled|debug_smp_processor_id|__this_cpu_preempt_check|__schedule_bug|___?might_(sleep|resched|fault))$
    # the watchdogs of stalls and of hung tasks,
    reporter H87 image=vmlinux* name=re:^(print_(other_)?cpu_stall|check_cpu_stall|rcu_(dump_cpu_stacks|check_callbacks|sched_clock_irq|pending)|__rcu_pending)
    reporter H88 image=vmlinux* name=re:^(nmi_(trigger_.*|cpu_backtrace.*)|arch_trigger_.*|trigger_.*_backtrace|watchdog(_timer_fn)?|check_hung_.*|hung_task_panic)$
    # and the way from an oops to its report.
    reporter H89 image=vmlinux* name=re:^(__die(_body)?|die(_addr)?|oops_end|no_context|page_fault_oops|__?bad_area.*|do_(trap|error_trap|invalid_op|general_protection)|fixup_bug|handle_bug)$
    throw R80 image=vmlinux* name=re:^(v?panic|nmi_panic|__warn(_printk)?|warn_slowpath_.*|report_bug|__stack_chk_fail|fortify_panic|check_panic_on_warn|bug_handler|brk_handler|call_break_hook|do_debug_exception)$
    throw R81 image=vmlinux* name=re:^(a?sm_)?(exc_)?(invalid_op|general_protection|page_fault|double_fault|divide_error|stack_segment|do_page_fault|__do_page_fault|do_user_addr_fault|error_entry)$
    throw R82 image=vmlinux* name=re:^(refcount_(warn_saturate|error_report)|usercopy_abort|__check_(object_size|heap_object)|__list_(add|del_entry)_valid.*|ex_handler_.*)$

    # What it does for anybody: memory, bytes,
    transp T80 image=vmlinux* name=re:^(__)?(k[vz]*(m|c|re)?alloc|kv?free|vfree|vmalloc|kfree_sensitive|kzfree|kfree_const|kstrn?dup|kmemdup)(_node|_noprof|_track_caller|_array|_large|_order)*$
    transp T81 image=vmlinux* name=re:^(__)?kmem_cache_(alloc|free)|^(do_|__)?slab_(alloc|free|post_alloc|pre_alloc)|^(__cache_free|___cache_free|qlist_free_all|qlink_free|quarantine_.*|stack_depot_.*|save_stack)$
    transp T82 image=vmlinux* name=re:^(stack_trace_save|arch_stack_walk|save_stack_trace|unwind_next_frame|__unwind_start|__save_stack_trace)$
    transp T83 image=vmlinux* name=re:^_*(mem|str)[a-z]+(_inv|_and_zero|_erms|_orig|_fast|_chk|_from_user|_user)?$
    transp T84 image=vmlinux* name=re:^_*(copy_(from|to|in)_(user|iter)|copy_user_|copyin|copyout|get_user_[0-9n]|put_user_[0-9n]|arch_copy_|clear_user)
    # counters and bits, and the traces of coverage,
    transp T85 image=vmlinux* name=re:^(arch_|raw_|instrument_)?(atomic(64|_long)?_[a-z_]+|refcount_[a-z_]+|(test|set|clear)_bit|kref_(get|put|read)|__read_once.*|__refcount_[a-z_]+)$
    transp T86 image=vmlinux* name=re:^__sanitizer_cov_|^__(x86_)?indirect_thunk|^__x86_(indirect|return)_|^check_(memory_region|region)|^instrument_|^(__)?(fentry|mcount)__
    # locks,
    transp T87 image=vmlinux* name=re:^_*(raw_|do_raw_|native_|queued_)*(spin|read|write)_(un|try)?lock|^queued_.*_slowpath$|^native_queued_
    transp T88 image=vmlinux* name=re:^_*lock_(acquire|release|is_held)|^_*(ww_)?mutex_(un|try)?lock|^__rt_mutex|^rt_mutex_|^rwsem_|^_*(down|up)(_read|_write)?(_killable|_interruptible|_nested|_failed|_common|_timeout)*$
    # waits, and the scheduler below them,
    transp T89 image=vmlinux* name=re:^_*(context_switch|switch_to|schedule(_timeout|_hrtimeout|_preempt_disabled|_idle|_user|_loop)*(_range|_clock)*(_interruptible|_uninterruptible|_killable)?|io_schedule(_timeout)?)$
    transp T90 image=vmlinux* name=re:^_*(do_)?(wait_(for_common|for_completion.*|on_bit.*|event_.*)|bit_wait.*|out_of_line_wait_.*|synchronize_(s?rcu|sched|net).*|wait_rcu_gp|preempt_schedule.*)$
    transp T91 image=vmlinux* name=re:^_*(flush_(work|workqueue|delayed_work)|drain_workqueue|cancel_(delayed_)?work(_timer|_sync|_sync)*|rcu_barrier|kthread_(stop|flush_work))$
    # and the thread and the timer's interrupt by which stalls are found.
    transp T92 image=vmlinux* name=re:^(rcu_gp_(kthread|fqs_loop|init|cleanup)|update_process_times|tick_(sched|nohz|periodic)_?[a-z_]*|__hrtimer_run_queues|__run_hrtimer|hrtimer_(interrupt|run_queues))$
    transp T93 image=vmlinux* name=re:^(asm_)?(__)?(sysvec_|smp_|local_)*(apic_timer_interrupt|call_function.*|reschedule_interrupt|irq_work_.*|.*do_IRQ)$|^(gic|arch_timer)_handle|^handle_(percpu|domain)_|^irqentry_

    # Where it is entered: system calls, threads, work. Not 'base', whose frames take part when they are all there is: every thread
    # of a kernel has them, so alone they would gather strangers.
    transp T95 image=vmlinux* name=re:^(entry_(SYSCALL|SYSENTER|INT80)_?.*|(__)?do_(fast_)?syscall_(64|x64|32|32_irqs_on)|do_int80_.*|tracesys.*|system_call.*|sysenter_.*|int_ret_from_sys_call|ia32_.*sys.*target)$
    transp T96 image=vmlinux* name=re:^(el[01]t?_.*|(__)?invoke_syscall|do_el0_svc|ret_(fast|from|to)_.*|retint_.*|.*_to_usermode.*|common_interrupt|asm_common_interrupt|vector_.*|handle_exception)$
    transp T97 image=vmlinux* name=re:^(kthread(_worker_fn)?|worker_thread|process_(one_work|scheduled_works)|smpboot_thread_fn|task_work_run|start_kernel|secondary_startup.*|start_secondary|cpu_startup_entry|do_idle|rest_init)$
    # An interrupt's late work is nobody's whom it interrupted.
    stop P80 image=vmlinux* name=re:^(___?)?do_softirq(_own_stack)?$|^_*irq_exit(_rcu)?$|^(run_ksoftirqd|invoke_softirq|handle_softirqs|call_softirq)$
    transp T94 image=vmlinux* name=re:^(___?)?do_softirq(_own_stack)?$|^_*irq_exit(_rcu)?$|^(run_ksoftirqd|invoke_softirq|handle_softirqs|call_softirq)$
    # One system call, whatever a compiler and a version made of its name.
    rename M80 image=vmlinux* name=re:^(__x64_|__ia32_|__arm64_|__riscv_|__s390x_|__se_|__do_|k)?(compat_|__se_|__do_)?(sys|SyS)_(.*)$ to=sys_$4

    test E80 stack="vmlinux!dump_stack;vmlinux!print_report;vmlinux!kasan_report;vmlinux!memcpy;vmlinux!cart_write;vmlinux!__x64_sys_write;vmlinux!do_syscall_64" tokens="vmlinux!cart_write;vmlinux!sys_write"
    test E81 stack="vmlinux!panic;vmlinux!__warn;vmlinux!report_bug;vmlinux!kfree;vmlinux!cart_drop;vmlinux!kthread;vmlinux!ret_from_fork" tokens="vmlinux!cart_drop"
    test E82 kind=hang stack="vmlinux!__schedule;vmlinux!schedule;vmlinux!__mutex_lock;vmlinux!cart_lock;vmlinux!worker_thread" blame="vmlinux!cart_lock"
    test E83 stack="vmlinux!cart_timer;vmlinux!__do_softirq;vmlinux!irq_exit;vmlinux!copy_page_range" tokens="vmlinux!cart_timer"
    test E84 stack="Shop!schedule;Shop!panic;Shop!kfree" tokens="Shop!schedule;Shop!panic;Shop!kfree"
    test E85 kind=hang stack="vmlinux!schedule;vmlinux!rcu_gp_kthread;vmlinux!kthread" blame=none
    """
}
